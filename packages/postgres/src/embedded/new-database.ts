import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

/** Path of the packed database, as reached from the sources or from the bundle in `dist/`. */
const PACKED = import.meta.url.endsWith(".ts")
  ? "../../dist/new-database.tar.br"
  : "../dist/new-database.tar.br";

/**
 * Reads a new, empty database as a tar for PGlite's `loadDataDir`; PGlite made it when this package was
 * built. Unpacking it takes half a second, creating one takes several seconds. `undefined` if it cannot be
 * read, e.g. in an app that was bundled into one file, or with sources that were not built: PGlite then
 * creates its own.
 */
export async function newDatabase(packed: string = PACKED): Promise<Blob | undefined> {
  try {
    const tar = await promisify(brotliDecompress)(await readFile(new URL(packed, import.meta.url)));
    return new Blob([tar]);
  } catch {
    return undefined;
  }
}
