import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, PawlError } from "@pawl/core";

/** How long two that start at once let each other go first, in milliseconds. */
const PATIENCE_MS = 250;

/**
 * The locks of this process. Nothing else need hold on to one, and SQLite drops what is collected as garbage.
 */
const held = new Set<object>();

/** SQLite's code for a lock that somebody else has. */
const BUSY = 5;

/**
 * Makes this the only user of a directory, in this process and in all others, until the returned function is
 * called.
 *
 * The lock is the operating system's own, on a file that it drops when the process ends in whatever way:
 * after a `kill -9` there is nothing stale to find out about, and neither a recycled process id nor a
 * container that cannot see its neighbour's processes can fool it. Node offers such locks only through its
 * SQLite, which is otherwise not used here. (Lock files with a process id or a heartbeat have to guess, and
 * refuse or let in the wrong one at times.)
 *
 * @throws PawlError `store_unavailable` when somebody else has the directory, or there can be no file in it.
 */
export async function lockDirectory(directory: string): Promise<() => void> {
  try {
    await mkdir(directory, { recursive: true });
    const { DatabaseSync } = await import("node:sqlite");
    const lock = new DatabaseSync(join(directory, "in-use.lock"), { timeout: PATIENCE_MS });
    try {
      lock.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      lock.close();
      throw error;
    }
    held.add(lock);
    return () => {
      held.delete(lock);
      lock.close();
    };
  } catch (cause) {
    const { errcode } = cause as { errcode?: number };
    const message =
      errcode === BUSY
        ? `The directory "${directory}" is in use by another store, of this or of another process.`
        : `The directory "${directory}" cannot be used: ${messageOf(cause)}`;
    throw new PawlError("store_unavailable", message, { cause, details: { directory } });
  }
}
