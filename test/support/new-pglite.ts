import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { writeDatabase } from "../../packages/postgres/src/embedded/new-database.ts";

const root = dirname(dirname(import.meta.dirname));
const cache = join(root, "node_modules", ".cache");
const packed = join(root, "packages", "postgres", "dist", "new-database.tar.br");
const create = PGlite.create.bind(PGlite) as (options?: PGliteOptions) => Promise<PGlite>;

/**
 * PGlite fills its buffers with zeros when it starts. The usual 128 MB take a second of processor time. The
 * embedded store has as small ones.
 */
const START_PARAMS = [...PGlite.defaultStartParams, "-c", "shared_buffers=16MB"];

/** Starts a PGlite in a directory as the tests do. */
export async function startPglite(dataDir: string, options: PGliteOptions = {}): Promise<PGlite> {
  return await create({ ...options, startParams: options.startParams ?? START_PARAMS, dataDir });
}

/**
 * Creates an empty PGlite over a copy of prepared files in the system's folder of temporary files, which are
 * removed when it closes. One in memory would take three times the processor time, to unpack its files.
 */
export async function newPglite(options: PGliteOptions = {}): Promise<PGlite> {
  return await openCopy(await preparedFiles(), options);
}

/** Opens a copy of the files of a PGlite, which is removed when it closes. */
export async function openCopy(files: string, options: PGliteOptions = {}): Promise<PGlite> {
  const dataDir = mkdtempSync(join(tmpdir(), "pawl-pglite-"));
  const remove = (): void => rmSync(dataDir, { recursive: true, force: true });
  process.once("exit", remove);
  cpSync(files, dataDir, { recursive: true });
  const db = await startPglite(dataDir, options);
  const close = db.close.bind(db);
  db.close = async () => {
    await close();
    process.off("exit", remove);
    remove();
  };
  return db;
}

/** Returns a hash of the packed database that all others are made of. */
export function packedState(): string {
  const hash = createHash("sha256").update(existsSync(packed) ? readFileSync(packed) : "not built");
  return hash.digest("hex");
}

/** Returns the folder of an empty database. It is made once for all tests. */
async function preparedFiles(): Promise<string> {
  const prepared = join(cache, `pglite-lean-${packedState().slice(0, 16)}`);
  if (existsSync(prepared)) return prepared;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "pglite-"));
  const made = join(folder, "db");
  await writeDatabase(made);
  await (await create({ dataDir: made })).close();
  removeTemplates(made);
  try {
    renameSync(made, prepared);
  } catch {
    // Another process may have made it in the meantime.
  }
  rmSync(folder, { recursive: true, force: true });
  return prepared;
}

/**
 * Removes the files of Postgres's two template databases from a new database's folder: two thirds of what there
 * is to copy. Only `CREATE DATABASE` would read them.
 */
export function removeTemplates(folder: string): void {
  for (const database of ["1", "4"]) {
    const files = join(folder, "base", database);
    for (const name of readdirSync(files)) if (name !== "PG_VERSION") rmSync(join(files, name));
  }
}
