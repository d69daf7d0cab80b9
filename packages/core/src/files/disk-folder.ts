import { lstat, mkdir, open, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Where files are written before they take their place. No stored name begins with a dot. */
export const DRAFTS = ".drafts";

/** Makes the store's directory with all above it. It may be a link. */
export async function makeRoot(root: string): Promise<string> {
  const first = await mkdir(root, { recursive: true, mode: 0o700 });
  if (first !== undefined) await syncUp(root, dirname(first));
  return root;
}

/**
 * Makes a folder below `root` and returns where it is. Goes step by step and refuses links, which would lead
 * elsewhere.
 */
export async function makeFolder(root: string, names: readonly string[]): Promise<string> {
  let place = await realpath(root);
  for (const name of names) {
    const above = place;
    place = join(above, name);
    if (await mkdir(place, { mode: 0o700 }).then(() => true, ignoreExisting)) await syncFolder(above);
    await checkFolder(place);
  }
  return place;
}

/** The same for one that is there already; `undefined` when it is not. */
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

/** Makes new and deleted names in a folder last. Windows cannot, and does without. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  await using handle = await open(folder, "r");
  await handle.sync();
}

export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

async function checkFolder(place: string): Promise<void> {
  if (!(await lstat(place)).isDirectory()) throw new Error("What lies in the place of a folder is none.");
}

/** From a folder up to one that was there before. */
async function syncUp(folder: string, last: string): Promise<void> {
  for (let place = dirname(folder); ; place = dirname(place)) {
    await syncFolder(place);
    if (place === last || place === dirname(place)) return;
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): boolean {
  if (error.code !== "EEXIST") throw error;
  return false;
}
