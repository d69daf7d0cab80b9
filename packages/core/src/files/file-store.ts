import { PawlError } from "../base/errors.ts";

/**
 * Files by path: the Markdown that an agent keeps for its user, and what it makes for them to download. In
 * memory ({@link memoryFiles}), on disk (`@pawl/core/disk`), in a bucket (`@pawl/supabase`).
 *
 * **Paths** are names with `/` between them, from the top: no slash at either end, no `.` or `..`, no
 * backslash and no control character. Any other character of any script may be in one. Upper and lower case
 * differ. Unicode is taken in its composed form (NFC), so the two ways to write `é` are one file. A path has
 * at most 800 characters and a name in it at most 200, where each that is not `a-z 0-9 . -` counts three for
 * every byte it has in UTF-8, because that is how disks and buckets keep it. A folder is there as long as
 * files are in it, and may be called as a file is.
 *
 * **Writes** are whole: who reads sees one content or another, never a mixture, and of two that write at once
 * the last one wins. There is no writing under a condition (Supabase has none): give what must not be
 * overwritten a name of its own.
 *
 * **Owners** are the caller's business: put the user's id into the path, as its first name, and never let a
 * model or a request say it.
 *
 * **Errors** are {@link PawlError}s: `invalid_input` for a path or a content that cannot be stored,
 * `not_found`, and `store_unavailable`, after which a write may have happened or not; it can be repeated.
 */
export interface FileStore {
  /** Resolves when the file is kept. A text is kept as UTF-8. Contents are held in memory as a whole. */
  put(path: string, content: string | Uint8Array): Promise<void>;
  /** @throws PawlError `not_found` */
  get(path: string): Promise<StoredFile>;
  /**
   * What lies in a folder and in the folders below it, by path; everything without one. A folder is whole
   * names: `users/ada` does not have the files of `users/adam`. Nothing there is an empty list.
   */
  list(folder?: string): Promise<FileInfo[]>;
  /** Whether the file was there does not matter: afterwards it is not. */
  delete(path: string): Promise<void>;
}

/** What is known of a file without reading it. */
export interface FileInfo {
  path: string;
  /** Follows from the path's ending, see {@link contentTypeOf}. */
  contentType: string;
  /** In bytes. */
  size: number;
  /** When it was written last, in ISO 8601, by the clock of whoever keeps it. */
  modifiedAt: string;
}

/** A file that was read. */
export interface StoredFile {
  path: string;
  contentType: string;
  /** The caller's own copy. */
  content: Uint8Array;
}

/**
 * A file as text.
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
    throw new PawlError("invalid_input", "The file is not text.", { cause, details: { path } });
  }
}

/**
 * What is put into a file, as bytes of its own. For those who write a {@link FileStore}.
 *
 * @throws PawlError `invalid_input` for a text with half a surrogate pair, which has no UTF-8.
 */
export function bytesOf(content: string | Uint8Array): Uint8Array<ArrayBuffer> {
  if (content instanceof Uint8Array) return Uint8Array.from(content);
  if (typeof content !== "string" || !content.isWellFormed()) {
    throw new PawlError(
      "invalid_input",
      "A file's content is bytes, or a text without half surrogate pairs.",
    );
  }
  return new TextEncoder().encode(content);
}
