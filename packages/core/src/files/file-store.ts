import { PawlError } from "../base/errors.ts";

/**
 * Keeps files by path: e.g. the Markdown that an agent keeps for its user, or files that it makes for
 * download. Implemented in memory ({@link memoryFiles}), on disk (`@pawl/core/disk`) and in a bucket
 * (`@pawl/supabase`).
 *
 * **Paths** are names separated by `/`, relative to the top: no slash at either end, no `.` or `..`, no
 * backslash and no control character. Any other character of any script is allowed. Paths are case-sensitive.
 * Unicode is normalised to its composed form (NFC), so the two ways to write `é` are one file. A path has at
 * most 800 characters and each name in it at most 200, where a character other than `a-z 0-9 . -` counts as
 * three for every byte of its UTF-8, because that is how disks and buckets store it. A folder exists as long
 * as it has files, and may have the same name as a file.
 *
 * **Writes** are atomic: a reader sees one content or another, never a mixture. Of two concurrent writes the
 * last one wins. There are no conditional writes (Supabase has none): give a file that must not be
 * overwritten a name of its own.
 *
 * **Owners** are up to the caller: make the user's id the first name of the path, and never take it from a
 * model or a request.
 *
 * **Errors** are {@link PawlError}s: `invalid_input` for a path or a content that cannot be stored,
 * `not_found`, and `store_unavailable`. After the last one a write may or may not have happened; it can be
 * repeated.
 */
export interface FileStore {
  /** Writes a file; text as UTF-8. Resolves once it is stored. Contents are held in memory as a whole. */
  put(path: string, content: string | Uint8Array): Promise<void>;
  /** @throws PawlError `not_found` */
  get(path: string): Promise<StoredFile>;
  /**
   * Lists the files in a folder and in the folders below it, sorted by path; all files if absent. A folder
   * matches whole names: `users/ada` does not list the files of `users/adam`. An unknown folder is empty.
   */
  list(folder?: string): Promise<FileInfo[]>;
  /** Deletes a file. Does nothing if it does not exist. */
  delete(path: string): Promise<void>;
}

/** Describes a file without its content. */
export interface FileInfo {
  path: string;
  /** Derived from the path's extension, see {@link contentTypeOf}. */
  contentType: string;
  /** In bytes. */
  size: number;
  /** The time of the last write, ISO 8601, by the clock of the store. */
  modifiedAt: string;
}

/** A file with its content. */
export interface StoredFile {
  path: string;
  contentType: string;
  /** A copy that the caller may change. */
  content: Uint8Array;
}

/**
 * Reads a file as text.
 *
 * @throws PawlError `not_found`, and `invalid_input` for a file that is not UTF-8.
 *
 * @example
 * ```ts
 * import { memoryFiles, readText } from "@pawl/core";
 *
 * const files = memoryFiles();
 * await files.put("ada/notes/oslo.md", "# Oslo\n\nIt rains.");
 * console.log(await readText(files, "ada/notes/oslo.md"));
 * ```
 */
export async function readText(files: FileStore, path: string): Promise<string> {
  const { content } = await files.get(path);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch (cause) {
    throw new PawlError("invalid_input", "The file is not UTF-8 text.", { cause, details: { path } });
  }
}

/**
 * Returns a copy of a file's content as bytes. For those who write a {@link FileStore}.
 *
 * @throws PawlError `invalid_input` for a text with half a surrogate pair, which has no UTF-8.
 */
export function bytesOf(content: string | Uint8Array): Uint8Array<ArrayBuffer> {
  if (content instanceof Uint8Array) return Uint8Array.from(content);
  if (typeof content !== "string" || !content.isWellFormed()) {
    throw new PawlError(
      "invalid_input",
      "The content of a file must be a Uint8Array, or a string without half surrogate pairs.",
    );
  }
  return new TextEncoder().encode(content);
}
