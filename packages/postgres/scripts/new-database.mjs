// Packs a database as a first start leaves it, so that nobody's first start has to make one: `dist/new-database.tar.br`.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";

const target = new URL("../dist/new-database.tar.br", import.meta.url);
// A window over all of it: its three databases have most of their pages in common.
const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 };

const dataDir = await mkdtemp(join(tmpdir(), "pawl-new-database-"));
try {
  // Closed first and read without being started: what is packed was shut down, and has nothing to recover.
  await (await PGlite.create({ dataDir })).close();
  const files = await PGlite.create({ dataDir, noInitDb: true });
  const tar = await (await files.dumpDataDir("none")).arrayBuffer();
  await files.close();
  await writeFile(target, await promisify(brotliCompress)(Buffer.from(tar), { params }));
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
