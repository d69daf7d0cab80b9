import type { Clock } from "../../base/clock.ts";
import type { FileStore } from "../../files/file-store.ts";
import { FILE_LIMITS, userFiles } from "../../files/make-user-files.ts";
import type { OwnUserFiles } from "../../files/user-files.ts";
import type { WorkLimits } from "../leg/work-limits.ts";

/** Keeps users' files in a file store, within the limits of a runtime. */
export function filesWithin(
  store: FileStore,
  clock: Clock,
  { files: atOnce = FILE_LIMITS.atOnce, fileBytes: bytes = FILE_LIMITS.bytes, waitMs }: WorkLimits = {},
): OwnUserFiles {
  return userFiles(store, { clock, limits: { atOnce, bytes, waitMs: waitMs ?? FILE_LIMITS.waitMs } });
}
