import type { Clock } from "../base/clock.ts";
import type { FileWork } from "./file-work.ts";
import type { HashedFiles } from "./hashed-files.ts";

/** What the functions for users' files share. */
export interface UserFileParts {
  kept: HashedFiles;
  work: FileWork;
  clock: Clock;
}
