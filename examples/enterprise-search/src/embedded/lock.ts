import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * Locks a directory against other processes until the process ends or the returned function is called. Two
 * databases on one directory would destroy it. The operating system holds the lock, also against `kill -9`.
 *
 * @throws Error if the directory is in use
 */
export function lockDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true });
  const lock = new DatabaseSync(join(directory, "in-use.lock"), { timeout: 250 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    throw new Error(`The index in "${directory}" is in use by another process.`, { cause });
  }
  held.add(lock);
  return () => {
    held.delete(lock);
    lock.close();
  };
}

/** Without a reference, a lock would be garbage-collected and released. */
const held = new Set<DatabaseSync>();
