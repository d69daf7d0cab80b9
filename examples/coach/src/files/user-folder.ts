import { createHash } from "node:crypto";
import { lstat, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";

const PLAIN = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/**
 * The name of a user's folder: the id where that is plain, else a hash of it. The `~` keeps both kinds apart, so that
 * no id can be chosen to land in somebody else's folder.
 */
export function userFolderName(userId: string): string {
  if (PLAIN.test(userId)) return userId;
  return `~${createHash("sha256").update(userId).digest("hex").slice(0, 40)}`;
}

/**
 * Makes `<dir>/<user>/<folder>` and returns its real path. Goes step by step and refuses links: one that was planted
 * would lead out of the user's folder.
 */
export async function userFolder(dir: string, userId: string, folder: string): Promise<string> {
  await mkdir(dir, { recursive: true });
  let path = await realpath(dir);
  for (const step of [userFolderName(userId), folder]) {
    path = join(path, step);
    await mkdir(path, { mode: 0o700 }).catch(ignoreExisting);
    if (!(await lstat(path)).isDirectory()) throw new Error(`The folder "${step}" cannot be used.`);
  }
  return path;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
