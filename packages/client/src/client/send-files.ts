import { PawlError } from "@pawl/core/view";
import type { SendingFile } from "../state/agent-state.ts";
import type { Conversation } from "../state/conversation.ts";
import { backoffMs, pause } from "../wire/backoff.ts";
import { eitherSignal } from "../wire/either-signal.ts";
import { isTemporary } from "../wire/request.ts";
import type { InputPart } from "../wire/wire.ts";

/** The most times that a file is sent while the server cannot be reached. The server stores it once. */
const TRIES = 3;

/** How the files of a message are uploaded. */
export interface UploadOptions {
  /**
   * The files of the message, e.g. `input.files` of a file input. They are uploaded one after the other,
   * before the message is sent. Default: none.
   */
  files?: Iterable<Blob>;
  /** Called after each upload with the bytes that have been uploaded so far, and those of all files. */
  onProgress?(uploaded: number, total: number): void;
  /** Cancels the upload; then nothing is sent. Has no effect once the message is being sent. */
  signal?: AbortSignal;
}

/** @throws PawlError `config` if a file is not a `Blob`. */
export function checkedFiles(files: Iterable<Blob>): Blob[] {
  const checked = typeof Object(files)[Symbol.iterator] === "function" ? [...files] : [files];
  if (checked.every((file) => file instanceof Blob)) return checked as Blob[];
  throw new PawlError("config", "`files` of send() must be File or Blob objects, e.g. input.files.");
}

/** Returns what is known of a file before it is uploaded. */
export function shownFile(file: Blob): SendingFile {
  return { mediaType: file.type, bytes: file.size, ...named(file) };
}

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
    parts.push({ type: "file", id: await upload(talk, file, until), ...named(file) });
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

function named(file: Blob): { name?: string } {
  return "name" in file && typeof file.name === "string" && file.name !== "" ? { name: file.name } : {};
}
