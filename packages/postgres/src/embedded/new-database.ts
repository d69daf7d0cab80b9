import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

/** Path of the packed database, relative to this source file or to the bundle in `dist/`. */
const PACKED = import.meta.url.endsWith(".ts")
  ? "../../dist/new-database.tar.br"
  : "../dist/new-database.tar.br";

/**
 * Reads an empty database that was made when this package was built, for PGlite's option `loadDataDir`.
 * Unpacking it takes half a second; PGlite would take several seconds to create a new one. Resolves to
 * `undefined` if there is no such file, e.g. in an app that was bundled into one file.
 */
export async function newDatabase(packed: string = PACKED): Promise<Blob | undefined> {
  try {
    const tar = await promisify(brotliDecompress)(await readFile(new URL(packed, import.meta.url)));
    return new Blob([tar]);
  } catch {
    return undefined;
  }
}
