import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, PawlError } from "@pawl/core";

/** How long to wait for the lock of another process that starts at the same time, in milliseconds. */
const PATIENCE_MS = 250;

/**
 * The locks of this process. Nothing else refers to them, and SQLite releases a lock that is
 * garbage-collected.
 */
const held = new Set<object>();

/** SQLite's code for a lock that another connection holds. */
const BUSY = 5;

/**
 * Makes this the only user of a directory, in this process and in all others, until the returned function is
 * called.
 *
 * The lock is the operating system's own, on a file. It is released when the process ends, also after a
 * `kill -9`, so there are no stale locks. Recycled process ids, and containers that cannot see each other's
 * processes, do not confuse it.
 *
 * @throws PawlError `store_unavailable` if the directory is in use, or no file can be created in it.
 */
// Node offers such locks only through its SQLite, which is otherwise not used here. Lock files with a process
// id or a heartbeat have to guess, and are sometimes wrong.
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
        ? `The directory "${directory}" is in use by another store, in this or another process. Close that one first.`
        : `The directory "${directory}" cannot be used: ${messageOf(cause)}`;
    throw new PawlError("store_unavailable", message, { cause, details: { directory } });
  }
}
