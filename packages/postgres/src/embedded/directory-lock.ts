import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, PawlError } from "@pawl/core";

/** How long to wait for the lock while another process is starting, in milliseconds. */
const PATIENCE_MS = 250;

/**
 * The locks that this process holds. Without a reference, they would be garbage-collected, and SQLite would
 * release them.
 */
const held = new Set<object>();

/** SQLite's code for a lock that another connection holds. */
const BUSY = 5;

/**
 * Locks a directory against other users, in this process and in all others, until the returned function is
 * called.
 *
 * The operating system holds the lock and releases it when the process ends, even after `kill -9`. So there
 * are no stale locks.
 *
 * @throws PawlError `store_unavailable` if the directory is in use, or no file can be created in it, and
 *   `config` if this Node has no SQLite.
 */
// Node offers locks of the operating system only through its SQLite, which has no other use here. Lock files
// with a process id or a heartbeat are sometimes wrong: process ids are reused, and containers cannot see
// each other's processes.
export async function lockDirectory(
  directory: string,
  load: () => Promise<typeof import("node:sqlite")> = () => import("node:sqlite"),
): Promise<() => void> {
  const { DatabaseSync } = await load().catch((cause) => {
    const message = `\`embeddedStore()\` needs Node 22.18 or newer; this is Node ${process.versions.node}, without \`node:sqlite\`.`;
    throw new PawlError("config", message, { cause });
  });
  try {
    await mkdir(directory, { recursive: true });
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
