import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { PawlError } from "@pawl/core";
import { isFree, unpack } from "./unpack.ts";

/** Path of the packed database, relative to this source file or to the bundle in `dist/`. */
const PACKED = import.meta.url.endsWith(".ts")
  ? "../../dist/new-database.tar.br"
  : "../dist/new-database.tar.br";

/** One chunk has room for all 40 MB: joining several would take a second copy, and a third of the time. */
const UNPACKING = { chunkSize: 50_331_648 };

/**
 * Writes an empty database into a directory, for PGlite to open. It was made when this package was built:
 * unpacking it takes a quarter of a second, and PGlite would take several seconds to create one.
 * `embeddedStore()` does so itself.
 *
 * `directory` is a path, and is created if it does not exist. A directory with files of a database is left as
 * it is, unless an earlier call was interrupted there: then it is written again. Only one process at a time
 * may use the directory, as with PGlite itself. Use the release of PGlite that is this package's peer: it may
 * not read the files of another release.
 *
 * Without the packed file, e.g. in an app that was bundled into one file, nothing is written, and PGlite
 * creates a database.
 *
 * @throws PawlError `config` for what is no path, e.g. `memory://`, and the error of the file system, e.g. if
 *   the disk is full.
 *
 * @example
 * ```ts
 * import { mkdtemp } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { PGlite } from "@electric-sql/pglite";
 * import { writeDatabase } from "@pawl/postgres/embedded";
 *
 * const dataDir = await mkdtemp(join(tmpdir(), "app-"));
 * await writeDatabase(dataDir);
 * const db = await PGlite.create({ dataDir });
 * await db.close();
 * ```
 */
export async function writeDatabase(directory: string): Promise<void> {
  if (typeof directory !== "string" || directory === "" || /^\w+:\/\//.test(directory))
    throw new PawlError(
      "config",
      `writeDatabase() needs the path of a directory; got ${JSON.stringify(directory)}.`,
    );
  if (!isFree(directory)) return;
  const tar = await readPacked();
  // Another call may have been faster.
  if (tar !== undefined && isFree(directory)) unpack(tar, directory);
}

/** Reads the empty database for PGlite's option `loadDataDir`. Resolves to `undefined` without the file. */
export async function newDatabase(packed?: string): Promise<Blob | undefined> {
  const tar = await readPacked(packed);
  return tar && new Blob([tar]);
}

async function readPacked(packed = PACKED): Promise<Buffer<ArrayBuffer> | undefined> {
  try {
    const file = await readFile(new URL(packed, import.meta.url));
    return (await promisify(brotliDecompress)(file, UNPACKING)) as Buffer<ArrayBuffer>;
  } catch {
    return undefined;
  }
}
