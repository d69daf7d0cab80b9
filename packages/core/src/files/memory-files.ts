import { checkOptions } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import { contentTypeOf } from "./content-type.ts";
import { checkPath, storedFolder } from "./file-path.ts";
import { bytesOf, type FileInfo, type FileStore } from "./file-store.ts";

/**
 * Keeps files in memory, for tests and for content that may be lost with the process. `now` returns the time
 * in milliseconds since 1970; default: `Date.now`.
 *
 * @example
 * ```ts
 * import { memoryFiles } from "@pawl/core";
 *
 * const files = memoryFiles();
 * await files.put("ada/artifacts/plan.pdf", new Uint8Array([37, 80, 68, 70]));
 * console.log(await files.list("ada"));
 * ```
 */
export function memoryFiles(options: { now?: () => number } = {}): FileStore {
  checkOptions<typeof options>("memoryFiles()", options, { now: "function" });
  const { now = Date.now } = options;
  const kept = new Map<string, { content: Uint8Array; modifiedAt: string }>();
  return {
    async put(path, content) {
      kept.set(checkPath(path), { content: bytesOf(content), modifiedAt: new Date(now()).toISOString() });
    },
    async get(anyPath) {
      const path = checkPath(anyPath);
      const file = kept.get(path);
      if (file === undefined) throw noSuchFile(path);
      return { path, contentType: contentTypeOf(path), content: file.content.slice() };
    },
    async list(folder = "") {
      storedFolder(folder); // Throws for an invalid path.
      const prefix = folder === "" ? "" : `${folder.normalize("NFC")}/`;
      const found = [...kept].filter(([path]) => path.startsWith(prefix));
      return sortedByPath(
        found.map(([path, { content, modifiedAt }]) => ({
          path,
          contentType: contentTypeOf(path),
          size: content.length,
          modifiedAt,
        })),
      );
    },
    async delete(path) {
      kept.delete(checkPath(path));
    },
  };
}

/** Returns the error for a file that does not exist. */
export function noSuchFile(path: string): PawlError {
  return new PawlError("not_found", "There is no such file.", { details: { path } });
}

/** Sorts files by path in UTF-16 code unit order, which is the same in every store. */
export function sortedByPath(files: readonly FileInfo[]): FileInfo[] {
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
