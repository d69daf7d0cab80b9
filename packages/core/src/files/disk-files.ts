import { constants, type Dirent } from "node:fs";
import { lstat, open, readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { kindOf } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import { contentTypeOf } from "./content-type.ts";
import { DRAFTS, existingFolder, isMissing, makeFolder, makeRoot, syncFolder } from "./disk-folder.ts";
import { checkPath, pathOfStored, storedFolder, storedPath } from "./file-path.ts";
import { bytesOf, type FileInfo, type FileStore, type StoredFile } from "./file-store.ts";
import { noSuchFile, sortedByPath } from "./memory-files.ts";

/**
 * Flags to open a file without following links, and without waiting for the writer of a pipe. Windows has
 * neither flag.
 */
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Keeps files in a directory on disk. The directory is created with the first file; other files in it are
 * ignored. Names on disk are encoded by {@link storedPath}, so that no two paths collide on any disk.
 *
 * - Writes are atomic and flushed to disk. After a crash or a power cut a file has its old or its new
 *   content, and no acknowledged write is lost.
 * - Several processes may write at once.
 * - Links inside the directory are not followed; the directory itself may be a link.
 * - Empty folders are not removed.
 * - Only the owner of files and folders can read them (`0600`, `0700`). Every process with write access to
 *   the directory is trusted.
 *
 * @throws PawlError with the codes of {@link FileStore}. For `store_unavailable`, the cause has the path on
 * disk.
 *
 * @example
 * ```ts
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { readText } from "@pawl/core";
 * import { diskFiles } from "@pawl/core/disk";
 *
 * const directory = await mkdtemp(join(tmpdir(), "files-"));
 * const files = diskFiles(directory);
 * await files.put("ada/notes/oslo.md", "It rains.");
 * console.log(await readText(files, "ada/notes/oslo.md"), await files.list("ada"));
 * await rm(directory, { recursive: true });
 * ```
 */
export function diskFiles(directory: string): FileStore {
  if (typeof directory !== "string")
    throw new PawlError("config", `diskFiles() needs \`directory\`, a string; got ${kindOf(directory)}.`);
  const root = resolve(directory);
  let clearing: Promise<void> | undefined;
  return {
    async put(path, content) {
      const { folders, name } = placeOf(path);
      const bytes = bytesOf(content);
      await guarded(path, "written", async () => {
        const drafts = await makeFolder(await makeRoot(root), [DRAFTS]);
        clearing ??= clearOldDrafts(drafts);
        await clearing;
        await writeWhole({ drafts, folder: await makeFolder(root, folders), name, bytes });
      });
    },
    get: (path) => guarded(path, "read", () => read(root, checkPath(path))),
    async list(folder = "") {
      const stored = storedFolder(folder);
      const names = stored === "" ? [] : stored.split("/");
      const found: FileInfo[] = [];
      await guarded(folder, "listed", async () => {
        const topFolder = await existingFolder(root, names);
        if (topFolder !== undefined) await collect(topFolder, stored, found);
      });
      return sortedByPath(found);
    },
    async delete(path) {
      const { folders, name } = placeOf(path);
      await guarded(path, "deleted", async () => {
        const folder = await existingFolder(root, folders);
        if (folder === undefined) return;
        await unlink(join(folder, name)).catch(ignoreMissing);
        await syncFolder(folder);
      });
    },
  };
}

/** Returns the encoded folders of a path, and the encoded name of its file. */
function placeOf(path: string): { folders: string[]; name: string } {
  const folders = storedPath(path).split("/");
  return { name: folders.pop() ?? "", folders };
}

/** Reads a file. Rejects with `not_found` if it does not exist. */
async function read(root: string, path: string): Promise<StoredFile> {
  const { folders, name } = placeOf(path);
  const folder = await existingFolder(root, folders);
  if (folder === undefined) throw noSuchFile(path);
  try {
    await using file = await open(join(folder, name), READ_ONLY);
    if (!(await file.stat()).isFile()) throw new Error(`Not a regular file: ${join(folder, name)}`);
    return { path, contentType: contentTypeOf(path), content: new Uint8Array(await file.readFile()) };
  } catch (error) {
    throw isMissing(error) ? noSuchFile(path) : error;
  }
}

/**
 * Adds the store's files below a folder to `found`. `stored` is the folder's encoded path. Leaves out a file
 * that is deleted in the meantime.
 */
async function collect(folder: string, stored: string, found: FileInfo[]): Promise<void> {
  const entries = await entriesOf(folder);
  const storedPathOf = ({ name }: Dirent): string => (stored === "" ? name : `${stored}/${name}`);
  for (const entry of entries) {
    // No folder of the store has a dot in its name.
    if (entry.isDirectory() && !entry.name.includes(".")) {
      await collect(join(folder, entry.name), storedPathOf(entry), found);
    }
  }
  // In parallel: a folder may have a file for every day of several years.
  const files = entries.map(async (entry): Promise<FileInfo[]> => {
    const path = entry.isFile() ? pathOfStored(storedPathOf(entry)) : undefined;
    const stats = path && (await lstat(join(folder, entry.name)).catch(ignoreMissing));
    if (path === undefined || !stats) return [];
    const { size, mtime } = stats;
    return [{ path, contentType: contentTypeOf(path), size, modifiedAt: mtime.toISOString() }];
  });
  for (const file of await Promise.all(files)) found.push(...file);
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return (await readdir(folder, { withFileTypes: true }).catch(ignoreMissing)) ?? [];
}

/** Returns `undefined` if the error says that a file or folder does not exist; rethrows any other error. */
function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/** Rejects with `store_unavailable` if the disk fails. `verb` is for the message, e.g. `written`. */
async function guarded<T>(path: string, verb: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (PawlError.is(cause)) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    const message = `The file could not be ${verb}${code === undefined ? "" : ` (${code})`}.`;
    throw new PawlError("store_unavailable", message, { cause, details: { path } });
  }
}

/** The age in milliseconds from which a draft counts as left by a crash. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** A file to write, and its place. */
interface Draft {
  /** The folder for drafts, on the same disk as `folder`. */
  drafts: string;
  folder: string;
  name: string;
  bytes: Uint8Array;
}

/**
 * Writes a file atomically: every reader sees its old or its new content, even after a crash. Replaces a link
 * at the file's path.
 */
export async function writeWhole({ drafts, folder, name, bytes }: Draft): Promise<void> {
  const draft = join(drafts, crypto.randomUUID());
  try {
    {
      await using file = await open(draft, "wx", 0o600);
      await file.writeFile(bytes);
      await file.sync();
    }
    await rename(draft, join(folder, name));
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

/** Deletes drafts that crashes have left. Ignores failures, because such a draft only costs disk space. */
export async function clearOldDrafts(drafts: string): Promise<void> {
  try {
    for (const name of await readdir(drafts)) {
      const draft = join(drafts, name);
      if ((await stat(draft)).mtimeMs < Date.now() - ABANDONED_MS) await rm(draft, { force: true });
    }
  } catch {
    return;
  }
}
