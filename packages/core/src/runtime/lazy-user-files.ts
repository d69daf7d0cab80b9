import type { Clock } from "../base/clock.ts";
import type { FileStore } from "../files/file-store.ts";
import type { OwnUserFiles } from "../files/user-files.ts";
import type { WorkLimits } from "./begin/runtime-types.ts";

/**
 * Keeps users' files in a file store. The code for files is loaded with the first call: most processes never
 * see a file.
 */
export function lazyUserFiles(store: FileStore, clock: Clock, limits?: WorkLimits): OwnUserFiles {
  // Not the promise of the import, so that a failed import is tried again.
  let made: OwnUserFiles | undefined;
  const loaded = async () => {
    const { filesWithin } = await import("./seldom/index.ts");
    made ??= filesWithin(store, clock, limits);
    return made;
  };
  return {
    put: async (...given) => await (await loaded()).put(...given),
    describe: async (...given) => await (await loaded()).describe(...given),
    get: async (...given) => await (await loaded()).get(...given),
    open: async (...given) => await (await loaded()).open(...given),
    delete: async (...given) => await (await loaded()).delete(...given),
    deleteUnsent: async (...given) => await (await loaded()).deleteUnsent(...given),
    inspect: async (...given) => await (await loaded()).inspect(...given),
    keep: async (...given) => await (await loaded()).keep(...given),
    use: async (...given) => await (await loaded()).use(...given),
    release: async (...given) => await (await loaded()).release(...given),
    read: async (...given) => await (await loaded()).read(...given),
  };
}
