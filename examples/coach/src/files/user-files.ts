import { createHash } from "node:crypto";
import { type FileStore, PawlError, readText } from "@pawl/core";
import { type MarkdownFile, readFrontMatter } from "./front-matter.ts";

const PLAIN = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/**
 * Returns the name of a user's folder: their id if it is safe as a name, otherwise a hash of it. Hashes begin
 * with `~` and ids do not, so nobody can choose an id that equals another user's folder.
 */
export function userFolderName(userId: string): string {
  if (PLAIN.test(userId)) return userId;
  return `~${createHash("sha256").update(userId).digest("hex").slice(0, 40)}`;
}

/**
 * Limits a store to the files of one user. Paths are relative to the user's folder and cannot leave it.
 *
 * @example
 * ```ts
 * import { memoryFiles } from "@pawl/core";
 * import { userFiles } from "@pawl/example-coach";
 *
 * const files = memoryFiles();
 * await userFiles(files, "ada").put("sage/context.md", "Likes mornings.");
 * console.log((await files.list()).map(({ path }) => path)); // [ "ada/sage/context.md" ]
 * ```
 */
export function userFiles(files: FileStore, userId: string): FileStore {
  const folder = userFolderName(userId);
  const own = (path: string): string => `${folder}/${path}`;
  const shown = <T extends { path: string }>(file: T): T => ({
    ...file,
    path: file.path.slice(folder.length + 1),
  });
  return {
    put: (path, content) => files.put(own(path), content),
    get: async (path) => shown(await files.get(own(path))),
    list: async (below = "") => (await files.list(below === "" ? folder : own(below))).map(shown),
    delete: (path) => files.delete(own(path)),
  };
}

/** Reads and parses a Markdown file; `undefined` if it does not exist. */
export async function readMarkdown(files: FileStore, path: string): Promise<MarkdownFile | undefined> {
  try {
    return readFrontMatter(await readText(files, path));
  } catch (error) {
    if (PawlError.is(error, "not_found")) return undefined;
    throw error;
  }
}
