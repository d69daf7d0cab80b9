import { PawlError } from "../base/errors.ts";

/**
 * Keeps files by path, e.g. an agent's Markdown notes on its user, or files that the agent makes for
 * download. Implemented in memory ({@link memoryFiles}), on disk (`@pawl/core/disk`) and in a bucket
 * (`@pawl/supabase`).
 *
 * **Paths** are names separated by `/`, relative to the top.
 *
 * - A path has no slash at either end, no name `.` or `..`, no backslash and no control character. All other
 *   characters are allowed.
 * - Paths are case-sensitive. Unicode is normalised to its composed form (NFC), so that both ways to encode
 *   `é` name the same file.
 * - A path has at most 800 characters, and each name in it at most 200. A character other than `a-z 0-9 . -`
 *   counts as three for every byte of its UTF-8, because it is stored in hexadecimal.
 * - A folder exists as long as it has files, and may have the same name as a file.
 *
 * **Writes** are atomic: a reader sees the whole old or the whole new content. Of two concurrent writes the
 * last one wins. Conditional writes are not supported: give a file that must not be overwritten a unique
 * name.
 *
 * **Owners** are not checked. Make the user's id the first name of every path, and take that id from your
 * authentication, never from a model or a request.
 *
 * **Errors** are {@link PawlError}s: `invalid_input` for a path or a content that cannot be stored,
 * `not_found`, and `store_unavailable`. After `store_unavailable` a write may or may not have happened; you
 * may repeat it.
 */
export interface FileStore {
  /** Writes a file or replaces its content; text is stored as UTF-8. Resolves once the content is stored. */
  put(path: string, content: string | Uint8Array): Promise<void>;
  /** Reads a file. Rejects with `not_found` if it does not exist. */
  get(path: string): Promise<StoredFile>;
  /**
   * Lists the files in a folder and in the folders below it, sorted by path. Without a folder, lists all
   * files. A folder matches whole names: `users/ada` does not list the files of `users/adam`. The list of an
   * unknown folder is empty.
   */
  list(folder?: string): Promise<FileInfo[]>;
  /** Deletes a file. Does nothing if the file does not exist. */
  delete(path: string): Promise<void>;
}

/** Describes a file without its content. */
export interface FileInfo {
  /** The path, see {@link FileStore}. */
  path: string;
  /** The media type, derived from the path's extension; see {@link contentTypeOf}. */
  contentType: string;
  /** The size in bytes. */
  size: number;
  /** The time of the last write, ISO 8601, by the clock of the store. */
  modifiedAt: string;
}

/** A file with its content. */
export interface StoredFile {
  /** The path, see {@link FileStore}. */
  path: string;
  /** The media type, derived from the path's extension. */
  contentType: string;
  /** The whole content, in a copy that the caller may change. */
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
 * Returns a copy of a file's content as bytes, for authors of a {@link FileStore}.
 *
 * @throws PawlError `invalid_input` for a text with half a surrogate pair, which cannot be encoded as UTF-8.
 *
 * @example
 * ```ts
 * import { bytesOf } from "@pawl/core/store";
 *
 * console.log(bytesOf("é").length); // 2
 * ```
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
