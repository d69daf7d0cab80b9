import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "./disk-folder.ts";

/** A draft that is older than this, in milliseconds, is a leftover of a crash. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

interface Draft {
  /** The folder for drafts, on the same disk. */
  drafts: string;
  folder: string;
  name: string;
  bytes: Uint8Array;
}

/**
 * Writes a file atomically: a reader, or a crash, sees the old content or the new one and never a part. A
 * link at its path is replaced, not followed.
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

/** Removes drafts that crashes have left. Ignores failures: a leftover draft only takes up space. */
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
