import type { Clock } from "../../base/clock.ts";
import type { FileStore } from "../../files/file-store.ts";
import type { OwnUserFiles } from "../../files/user-files.ts";
import type { WorkLimits } from "../leg/work-limits.ts";

/**
 * Keeps users' files in a file store. The code for files is loaded with the first call: most processes never
 * see a file. Without a file store, each call rejects with `config`.
 */
export function lazyUserFiles(store: FileStore | undefined, clock: Clock, limits?: WorkLimits): OwnUserFiles {
  // Not the promise of the import, so that a failed import is tried again.
  let made: OwnUserFiles | undefined;
  const loaded = async () => {
    const { filesWithin } = await import("./index.ts");
    made ??= filesWithin(store, clock, limits);
    return made;
  };
  const later = METHODS.map((method) => [
    method,
    async (...given: never[]) => await ((await loaded())[method] as AnyMethod)(...given),
  ]);
  return Object.fromEntries(later) as Pick<OwnUserFiles, (typeof METHODS)[number]>;
}

type AnyMethod = (...given: never[]) => Promise<unknown>;

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
