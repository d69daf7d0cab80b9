import type { FileStore } from "./file-store.ts";
import type { OwnUserFiles } from "./user-files.ts";

/**
 * Keeps users' files in a file store. The code for it is loaded with the first file, so that programs without
 * files start without it.
 */
export function lazyUserFiles(store: FileStore): OwnUserFiles {
  let loaded: OwnUserFiles | undefined;
  // Keeps the result and not its promise, so that a failed import is repeated.
  const made = async () => {
    loaded ??= (await import("./user-files.ts")).userFiles(store);
    return loaded;
  };
  return {
    put: async (...given) => await (await made()).put(...given),
    get: async (...given) => await (await made()).get(...given),
    delete: async (...given) => await (await made()).delete(...given),
    keep: async (...given) => await (await made()).keep(...given),
    use: async (...given) => await (await made()).use(...given),
    release: async (...given) => await (await made()).release(...given),
    read: async (...given) => await (await made()).read(...given),
  };
}
