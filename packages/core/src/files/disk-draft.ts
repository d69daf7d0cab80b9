import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "./disk-folder.ts";

/** The age in milliseconds from which a draft counts as left by a crash. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

interface Draft {
  /** The folder for drafts, on the same disk as `folder`. */
  drafts: string;
  folder: string;
  name: string;
  bytes: Uint8Array;
}

/**
 * Writes a file atomically: it has its old or its new content for every reader, even after a crash. A link at
 * the file's path is replaced.
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

/** Removes drafts that crashes have left. Ignores failures, because such a draft only costs disk space. */
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
