import { lstat, mkdir, open, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The folder in which files are written before they are renamed. No stored name begins with a dot. */
export const DRAFTS = ".drafts";

/** Creates the store's directory and its parents, and returns its path. The directory may be a link. */
export async function makeRoot(root: string): Promise<string> {
  const firstCreated = await mkdir(root, { recursive: true, mode: 0o700 });
  if (firstCreated !== undefined) await syncUp(root, dirname(firstCreated));
  return root;
}

/**
 * Creates a folder below `root` and returns its path on disk. Refuses links on the way, because they could
 * lead out of `root`.
 */
export async function makeFolder(root: string, names: readonly string[]): Promise<string> {
  let place = await realpath(root);
  for (const name of names) {
    const parent = place;
    place = join(parent, name);
    if (await mkdir(place, { mode: 0o700 }).then(() => true, ignoreExisting)) await syncFolder(parent);
    await checkFolder(place);
  }
  return place;
}

/**
 * Returns the path on disk of a folder below `root`; `undefined` if the folder does not exist. Refuses links
 * on the way, because they could lead out of `root`.
 */
export async function existingFolder(root: string, names: readonly string[]): Promise<string | undefined> {
  try {
    let place = await realpath(root);
    for (const name of names) {
      place = join(place, name);
      await checkFolder(place);
    }
    return place;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Flushes a folder to disk, so that created and deleted names survive a power cut. Does nothing on Windows.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  await using handle = await open(folder, "r");
  await handle.sync();
}

/** Returns whether an error says that a file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

/** Rejects if the path is not a folder, e.g. if it is a link. */
async function checkFolder(place: string): Promise<void> {
  if (!(await lstat(place)).isDirectory()) throw new Error(`Not a folder: ${place}`);
}

/**
 * Flushes the parents of a new folder to disk, up to `lastFolder`: the nearest folder that existed before.
 */
async function syncUp(folder: string, lastFolder: string): Promise<void> {
  for (let place = dirname(folder); ; place = dirname(place)) {
    await syncFolder(place);
    if (place === lastFolder || place === dirname(place)) return;
  }
}

/** Returns `false` if the folder existed before; rethrows any other error. */
function ignoreExisting(error: NodeJS.ErrnoException): boolean {
  if (error.code !== "EEXIST") throw error;
  return false;
}
