import type { Clock } from "../../base/clock.ts";
import type { FileStore } from "../../files/file-store.ts";
import type { OwnUserFiles } from "../../files/user-files.ts";
import type { WorkLimits } from "../leg/work-limits.ts";

/**
 * Keeps users' files in a file store like `filesWithin()`, but loads the code with the first call: most
 * processes never get a file. Without a file store, each call rejects with `config`.
 */
export function lazyUserFiles(store: FileStore | undefined, clock: Clock, limits?: WorkLimits): OwnUserFiles {
  // Keeps the result and not the promise of the import, so that a failed import is tried again.
  let made: OwnUserFiles | undefined;
  const loaded = async () => {
    const { filesWithin } = await import("./index.ts");
    made ??= filesWithin(store, clock, limits);
    return made;
  };
  const methods = METHODS.map((method) => [
    method,
    async (...args: never[]) => await ((await loaded())[method] as AnyMethod)(...args),
  ]);
  return Object.fromEntries(methods) as Pick<OwnUserFiles, (typeof METHODS)[number]>;
}

type AnyMethod = (...args: never[]) => Promise<unknown>;

/** All methods of `OwnUserFiles`. */
const METHODS = [
  "put",
  "describe",
  "get",
  "open",
  "delete",
  "deleteUnsent",
  "inspect",
  "keep",
  "use",
  "release",
  "read",
] as const;
