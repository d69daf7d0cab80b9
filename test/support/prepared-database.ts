import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { embeddedStore } from "@pawl/postgres/embedded";
import { packedState, removeTemplates } from "./new-pglite.ts";

const root = dirname(dirname(import.meta.dirname));
const sql = join(root, "packages", "postgres", "sql");
const cache = join(root, "node_modules", ".cache");

/**
 * Copies a migrated, empty embedded database into `dataDir`. It is created once for all tests, because
 * creating it takes seconds.
 */
export async function prepareDatabase(dataDir: string): Promise<void> {
  const files = readdirSync(sql).map((name) => readFileSync(join(sql, name)));
  const state = files
    .reduce((hash, text) => hash.update(text), createHash("sha256").update(packedState()))
    .digest("hex");
  const prepared = join(cache, `database-lean-${state.slice(0, 16)}`);
  if (!existsSync(prepared)) await make(prepared);
  // A thousand small files: `cp` takes five times the processor time.
  cpSync(prepared, dataDir, { recursive: true });
}

async function make(prepared: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "database-"));
  const made = join(folder, "db");
  await (await embeddedStore({ dataDir: made })).close();
  removeTemplates(join(made, "postgres"));
  // Another process may have created it in the meantime.
  await rename(made, prepared).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
}
