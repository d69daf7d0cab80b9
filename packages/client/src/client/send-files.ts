import type { Conversation } from "../state/conversation.ts";
import { backoffMs, pause } from "../wire/backoff.ts";
import { eitherSignal } from "../wire/either-signal.ts";
import { isTemporary } from "../wire/request.ts";
import type { InputPart } from "../wire/wire.ts";
import { nameOf, type UploadOptions } from "./checked-files.ts";

/** The most times that a file is sent while the server cannot be reached. The server stores it once. */
const TRIES = 3;

/**
 * Uploads the files, and returns the parts of the message. Rejects with the error of the request, or with the
 * reason of a signal.
 */
export async function uploadAll(
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
    parts.push({ type: "file", id: await upload(talk, file, until), ...nameOf(file) });
    uploaded += file.size;
    onProgress?.(uploaded, total);
  }
  until.throwIfAborted();
  return parts;
}

async function upload(talk: Conversation, file: Blob, signal: AbortSignal): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await talk.wire.upload(file, signal);
    } catch (error) {
      if (tries === TRIES || signal.aborted || !isTemporary(error)) throw error;
      await pause(backoffMs(tries), signal);
    }
  }
}
