import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

/** Path of the packed database, relative to this source file or to the bundle in `dist/`. */
const PACKED = import.meta.url.endsWith(".ts")
  ? "../../dist/new-database.tar.br"
  : "../dist/new-database.tar.br";

/**
 * Reads an empty database that was made when this package was built, for PGlite's option `loadDataDir`.
 * `embeddedStore()` does so itself. Unpacking it takes half a second; PGlite would take several seconds to
 * create a new one. Resolves to `undefined` if there is no such file, e.g. in an app that was bundled into
 * one file.
 *
 * @example
 * ```ts
 * import { PGlite } from "@electric-sql/pglite";
 * import { newDatabase } from "@pawl/postgres/embedded";
 *
 * const loadDataDir = await newDatabase();
 * const db = await PGlite.create({ ...(loadDataDir && { loadDataDir }) });
 * await db.close();
 * ```
 */
export async function newDatabase(): Promise<Blob | undefined> {
  return await readPacked(PACKED);
}

/** Reads a packed database, or resolves to `undefined`. The path is relative to this file. */
export async function readPacked(packed: string): Promise<Blob | undefined> {
  try {
    const tar = await promisify(brotliDecompress)(await readFile(new URL(packed, import.meta.url)));
    return new Blob([tar]);
  } catch {
    return undefined;
  }
}
