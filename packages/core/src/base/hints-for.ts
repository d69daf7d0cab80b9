import type { hints } from "./hints.ts";

type Table = { readonly [name: string]: string };

/**
 * Returns a function that loads the hints for the options of another function, for `checkOptions`. Apps do
 * not load the table at their start: it is required when an error is thrown. There are no hints where Node's
 * `require` or the file is missing, e.g. in a bundle for workers.
 */
export function hintsFor(of: keyof typeof hints): () => Table {
  return () => {
    try {
      return required()[of];
    } catch {
      return {};
    }
  };
}

/** Loads the table. The build puts this code into a chunk of `dist`. */
function required(): typeof hints {
  const { createRequire } = process.getBuiltinModule("node:module");
  const path = import.meta.url.endsWith(".ts") ? "./hints.ts" : "./base/hints.js";
  return createRequire(import.meta.url)(path).hints;
}
