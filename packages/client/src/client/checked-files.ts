import { PawlError } from "@pawl/core/view";
import type { SendingFile } from "../state/agent-state.ts";

/** How the files of a message are uploaded. */
export interface UploadOptions {
  /**
   * The files of the message, e.g. `input.files` of a file input. They are uploaded one after the other,
   * before the message is sent. Default: none.
   */
  files?: Iterable<Blob>;
  /** Called after each upload with the number of bytes uploaded so far, and of all files together. */
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
  return { mediaType: file.type, bytes: file.size, ...nameOf(file) };
}

/** Returns the name of a file, if it has one. */
export function nameOf(file: Blob): { name?: string } {
  return "name" in file && typeof file.name === "string" && file.name !== "" ? { name: file.name } : {};
}
