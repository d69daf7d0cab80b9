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
    const compressed = await readFile(new URL(packed, import.meta.url));
    const tar = await promisify(brotliDecompress)(compressed);
    // A blob of these 38 MB would be copied three times until PGlite has them.
    const { buffer, byteOffset, byteLength } = tar;
    const arrayBuffer = async () =>
      byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
    return Object.assign(new Blob([]), { arrayBuffer });
  } catch {
    return undefined;
  }
}
