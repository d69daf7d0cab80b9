import type { JsonObject } from "@pawl/core";
import type { Conversation } from "../state/conversation.ts";
import { pause, retryMs } from "../wire/backoff.ts";
import { eitherSignal } from "../wire/either-signal.ts";
import type { Library } from "../wire/library.ts";
import { isTemporary, Refused } from "../wire/request.ts";
import type { InputPart, RunBody } from "../wire/wire.ts";
import { nameOf, type UploadOptions } from "./checked-files.ts";

/** Completes the body of a message with the code that a page loads later. */
export type Prepare = (
  talk: Conversation,
  body: RunBody & { input: string },
  files: readonly Blob[],
  options: UploadOptions,
) => Promise<RunBody>;

/** The most times that a file is sent while the server cannot be reached. The server stores it once. */
const TRIES = 3;

/** Uploads the files of a message, and adds the tools that the page offers. Rejects as `uploadAll` does. */
export async function preparedBody(
  to: Library,
  tools: readonly JsonObject[],
  ...[talk, body, files, options]: Parameters<Prepare>
): Promise<RunBody> {
  const offered = tools.length > 0 && { tools };
  if (files.length === 0) return { ...body, ...offered };
  const { input: text } = body;
  const parts = await uploadAll(to, talk, files, options);
  const said: InputPart[] = text.trim() === "" ? [] : [{ type: "text", text }];
  return { ...body, input: [...parts, ...said], ...offered };
}

/**
 * Uploads the files, and returns the parts of the message. Rejects with the error of the request, or with the
 * reason of a signal.
 */
async function uploadAll(
  to: Library,
  talk: Conversation,
  files: readonly Blob[],
  { onProgress, signal }: UploadOptions,
): Promise<InputPart[]> {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const until = signal === undefined ? talk.life.signal : eitherSignal(talk.life.signal, signal);
  const parts: InputPart[] = [];
  let uploaded = 0;
  for (const file of files) {
    until.throwIfAborted();
    const id = await upload(to, file, until).catch((error: unknown) => {
      throw files.length > 1 ? naming(file, parts.length + 1, error) : error;
    });
    parts.push({ type: "file", id, ...nameOf(file) });
    uploaded += file.size;
    onProgress?.(uploaded, total);
  }
  until.throwIfAborted();
  return parts;
}

/** Returns the error with the name of the file, or its place, if the server has refused this file. */
function naming(file: Blob, at: number, error: unknown): unknown {
  if (!(error instanceof Refused) || ![400, 413].includes(error.status)) return error;
  const { status, code, message, answer } = error;
  return new Refused(status, code, `${nameOf(file).name ?? `File ${at}`}: ${message}`, { answer });
}

async function upload(to: Library, file: Blob, signal: AbortSignal): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await to.upload(file, signal);
    } catch (error) {
      if (tries === TRIES || signal.aborted || !isTemporary(error)) throw error;
      await pause(retryMs(tries, error), signal);
    }
  }
}
