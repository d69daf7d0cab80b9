import { type Clock, systemClock } from "../../base/clock.ts";
import { PawlError } from "../../base/errors.ts";
import { sha256 } from "../../base/sha256.ts";
import { newWorkLimit } from "../../base/work-limit.ts";
import type { FileStore } from "../../files/file-store.ts";
import { newFileWork } from "../../files/file-work.ts";
import { type Folders, foldersOf, hashedFiles, type UserFileParts } from "../../files/hashed-files.ts";
import { type inspectFile, LARGEST_UPLOAD } from "../../files/inspect-file.ts";
import { readFiles, storedFiles } from "../../files/stored-files.ts";
import { cleanUnsent } from "../../files/unsent-files.ts";
import type { OwnUserFiles } from "../../files/user-files.ts";
import type { WorkLimits } from "../leg/work-limits.ts";

/**
 * Keeps users' files in a file store, within a runtime's limits. @throws PawlError `config` without a store
 */
export function filesWithin(
  store: FileStore | undefined,
  clock: Clock,
  { files: atOnce = FILE_LIMITS.atOnce, fileBytes: bytes = FILE_LIMITS.bytes, waitMs }: WorkLimits = {},
): OwnUserFiles {
  if (store === undefined)
    throw new PawlError("config", "runtime() needs the option `files`, e.g. memoryFiles(), to keep files.");
  return userFiles(store, { clock, limits: { atOnce, bytes, waitMs: waitMs ?? FILE_LIMITS.waitMs } });
}

/** The default limits: files in work at once, their bytes in memory, and the longest wait in milliseconds. */
export const FILE_LIMITS = { atOnce: 16, bytes: 64_000_000, waitMs: 10_000 } as const;

/** Options of {@link userFiles}. */
interface FileMaking {
  /** Its time decides whether an unsent file is old enough to be deleted. Default: the system's clock. */
  clock?: Clock;
  limits?: { atOnce: number; bytes: number; waitMs: number };
  inspect?: typeof inspectFile;
}

/**
 * Keeps users' files in a file store. A file is named by the hash of its bytes. Its facts, e.g. its type, are
 * stored beside it.
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
  return { ...storedFiles(parts), ...readFiles(parts), ...fileDeletion(parts) };
}

/** Makes the functions that delete users' files. */
export function fileDeletion({
  kept,
  work,
  clock,
}: UserFileParts): Pick<OwnUserFiles, "delete" | "deleteUnsent" | "release"> {
  /** Removes a session's use of a file. Takes room for the file's bytes, because it reads them. */
  const release = async (userId: string, folders: Folders, session: string, id: string) =>
    await work.within({ userId, bytes: LARGEST_UPLOAD, isOfRun: true }, () =>
      kept.release(folders, session, id),
    );
  return {
    delete: async (userId, { sessionId } = {}) => {
      const folders = await foldersOf(userId);
      const { sent, unsent } = folders;
      const files = await kept.list(sent);
      if (sessionId === undefined) {
        const paths = [...files, ...(await kept.list(unsent))].map(({ path }) => path);
        // Deletes the facts of a file, whose path is longer, before its bytes. Facts never exist without
        // bytes.
        for (const path of paths.toSorted((a, b) => b.length - a.length)) await kept.delete(path);
        return;
      }
      const session = await sha256(sessionId);
      for (const { path } of files) {
        const [id = "", usedBy] = path.slice(sent.length + 1).split("/");
        if (usedBy === session) await release(userId, folders, session, id);
      }
    },
    deleteUnsent: async (userId) => {
      await cleanUnsent(kept, userId === undefined ? "" : (await foldersOf(userId)).unsent, clock.now());
    },
    release: async (userId, sessionId, ids) => {
      const folders = await foldersOf(userId);
      const session = await sha256(sessionId);
      for (const id of ids) await release(userId, folders, session, id);
    },
  };
}
