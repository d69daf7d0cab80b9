import { type Clock, systemClock } from "../base/clock.ts";
import { newWorkLimit } from "../base/work-limit.ts";
import { deletedFiles } from "./deleted-files.ts";
import type { FileStore } from "./file-store.ts";
import { newFileWork } from "./file-work.ts";
import { hashedFiles } from "./hashed-files.ts";
import type { inspectFile } from "./inspect-file.ts";
import { readFiles } from "./read-files.ts";
import { storedFiles } from "./stored-files.ts";
import type { OwnUserFiles } from "./user-files.ts";

/** How many files a process works on at the same time, and how many bytes of them it has. */
export const FILE_LIMITS = { atOnce: 16, bytes: 64_000_000, waitMs: 10_000 } as const;

interface FileMaking {
  /** The clock of the store, if possible. */
  clock?: Clock;
  limits?: { atOnce: number; bytes: number; waitMs: number };
  inspect?: typeof inspectFile;
}

/**
 * Keeps users' files in a file store. A file's name is its hash, and its facts are beside it.
 *
 * - `<user>/unsent/<hash>` was uploaded and is in no message yet. Nothing refers to it, so it may be deleted.
 * - `<user>/uploads/<hash>` is in messages or results. A folder of the same name has one empty file for each
 *   session that uses it. When the last of these is removed, the file is deleted.
 */
export function userFiles(
  store: FileStore,
  { clock = systemClock, limits = FILE_LIMITS, inspect }: FileMaking = {},
): OwnUserFiles {
  const work = newFileWork(newWorkLimit(clock, "files", limits), inspect);
  const parts = { kept: hashedFiles(store), work, clock };
  return { ...storedFiles(parts), ...readFiles(parts), ...deletedFiles(parts) };
}
