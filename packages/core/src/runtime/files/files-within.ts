import type { Clock } from "../../base/clock.ts";
import { PawlError } from "../../base/errors.ts";
import type { FileStore } from "../../files/file-store.ts";
import { FILE_LIMITS, userFiles } from "../../files/make-user-files.ts";
import type { OwnUserFiles } from "../../files/user-files.ts";
import type { WorkLimits } from "../leg/work-limits.ts";

/** Keeps users' files in a file store, within a runtime's limits. @throws PawlError `config` without one */
export function filesWithin(
  store: FileStore | undefined,
  clock: Clock,
  { files: atOnce = FILE_LIMITS.atOnce, fileBytes: bytes = FILE_LIMITS.bytes, waitMs }: WorkLimits = {},
): OwnUserFiles {
  if (store === undefined)
    throw new PawlError("config", "runtime() needs the option `files`, e.g. memoryFiles(), to keep files.");
  return userFiles(store, { clock, limits: { atOnce, bytes, waitMs: waitMs ?? FILE_LIMITS.waitMs } });
}
