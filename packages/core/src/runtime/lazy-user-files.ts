import type { Clock } from "../base/clock.ts";
import type { FileStore } from "../files/file-store.ts";
import type { OwnUserFiles } from "../files/user-files.ts";

/**
 * Keeps users' files in a file store. The code for files is loaded with the first call: most processes never
 * see a file.
 */
export function lazyUserFiles(store: FileStore, clock: Clock): OwnUserFiles {
  const loaded = async () => {
    const { userFiles } = await import("./seldom/index.ts");
    return userFiles(store, () => clock.now());
  };
  return {
    put: async (...given) => await (await loaded()).put(...given),
    get: async (...given) => await (await loaded()).get(...given),
    delete: async (...given) => await (await loaded()).delete(...given),
    deleteUnsent: async (...given) => await (await loaded()).deleteUnsent(...given),
    keep: async (...given) => await (await loaded()).keep(...given),
    use: async (...given) => await (await loaded()).use(...given),
    release: async (...given) => await (await loaded()).release(...given),
    read: async (...given) => await (await loaded()).read(...given),
  };
}
