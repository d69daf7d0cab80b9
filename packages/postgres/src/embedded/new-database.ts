import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

/** Seen from the sources, and from the bundle in `dist/`. */
const PACKED = import.meta.url.endsWith(".ts")
  ? "../../dist/new-database.tar.br"
  : "../dist/new-database.tar.br";

/**
 * A database as PGlite makes one, which this package was built with, as a tar for its `loadDataDir`. To
 * unpack it takes half a second, to make one takes some. Undefined where there is none to read, as in an app
 * that was bundled into one file, or beside sources that were not built: PGlite then makes its own.
 */
export async function newDatabase(packed: string = PACKED): Promise<Blob | undefined> {
  try {
    const tar = await promisify(brotliDecompress)(await readFile(new URL(packed, import.meta.url)));
    return new Blob([tar]);
  } catch {
    return undefined;
  }
}
