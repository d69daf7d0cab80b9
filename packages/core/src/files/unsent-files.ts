import type { FileInfo } from "./file-store.ts";
import type { HashedFiles } from "./hashed-files.ts";
import { refusedFile } from "./inspect-file.ts";
import { bytesPath } from "./stored-facts.ts";

/** The most files and bytes that a user may have uploaded and not sent: ten messages of the largest size. */
const MOST_UNSENT = { files: 200, bytes: 200_000_000 } as const;

/** Matches the path of an upload that was not sent: the folder and the file's id. */
const UNSENT = /^([^/]+\/unsent)\/([0-9a-f]{64})$/;

/** After this time, in milliseconds, an upload that was not sent may be deleted. */
const UNSENT_MS = 24 * 60 * 60 * 1_000;

/**
 * Deletes old uploads in a folder, and returns the others. A user has at most 200, so the list of one user's
 * folder is short.
 */
export async function cleanUnsent(kept: HashedFiles, folder: string, now: number): Promise<FileInfo[]> {
  const isOld = ({ modifiedAt }: FileInfo) => Date.parse(modifiedAt) < now - UNSENT_MS;
  const found = await kept.list(folder);
  const remaining = new Map(found.map((file) => [file.path, file]));
  for (const file of found) {
    const [, ownFolder, id] = UNSENT.exec(bytesPath(file.path)) ?? [];
    const bytes = remaining.get(bytesPath(file.path));
    // The age of the bytes counts for both, because facts are stored a moment later. The age of facts without
    // bytes is their own; such facts are of no use.
    if (ownFolder === undefined || id === undefined || !isOld(bytes ?? file)) continue;
    if (bytes === undefined || bytes === file) await kept.remove(ownFolder, id);
    remaining.delete(file.path);
  }
  return [...remaining.values()].filter(({ path }) => UNSENT.test(path));
}

/**
 * Checks that a user may upload one more file, of `bytes` bytes.
 *
 * @param others the user's other files that were not sent
 * @throws PawlError `invalid_input`
 */
export function checkUnsent(others: readonly FileInfo[], bytes: number): void {
  const total = others.reduce((sum, { size }) => sum + size, bytes);
  if (total > MOST_UNSENT.bytes || others.length >= MOST_UNSENT.files)
    throw refusedFile("Too many files were uploaded and not sent. Send some of them, or try again tomorrow.");
}
