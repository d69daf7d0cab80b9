import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { embeddedStore } from "@pawl/postgres/embedded";

const root = dirname(dirname(import.meta.dirname));
const sql = join(root, "packages", "postgres", "sql");
const cache = join(root, "node_modules", ".cache");

/**
 * Puts a new, migrated embedded database into `dataDir`. Creating one takes seconds and copying is fast, so
 * one is created for all tests.
 */
export async function prepareDatabase(dataDir: string): Promise<void> {
  const files = readdirSync(sql).map((name) => readFileSync(join(sql, name)));
  const state = files.reduce((hash, text) => hash.update(text), createHash("sha256")).digest("hex");
  const prepared = join(cache, `database-${state.slice(0, 16)}`);
  if (!existsSync(prepared)) await make(prepared);
  await cp(prepared, dataDir, { recursive: true });
}

async function make(prepared: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "database-"));
  const made = join(folder, "db");
  await (await embeddedStore({ dataDir: made })).close();
  // Another process may have been faster.
  await rename(made, prepared).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
}
