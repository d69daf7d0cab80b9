import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Writes a file so that a reader, or a crash, sees the old content or the new one and never a part. A link at `path`
 * is replaced, not followed.
 */
export async function writeWhole(path: string, data: Uint8Array, signal: AbortSignal): Promise<void> {
  const draft = join(dirname(path), `.${basename(path).slice(0, 20)}.${crypto.randomUUID()}.tmp`);
  try {
    // `wx` refuses a path that exists already, a link included.
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
    signal.throwIfAborted();
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
