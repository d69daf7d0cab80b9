import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PGlite, PGliteOptions } from "@electric-sql/pglite";
import { writeDatabase } from "../../packages/postgres/src/embedded/new-database.ts";
import { openCopy, packedState, startPglite } from "./new-pglite.ts";

const root = dirname(dirname(import.meta.dirname));
const cache = join(root, "node_modules", ".cache");

/** What a database is filled with. */
export interface Filling {
  /** The name of what is in it, for the folder of the copy. */
  name: string;
  /** The folders of the sources that fill it, from the root on. If one of them changes, it is filled again. */
  sources: readonly string[];
  options?: PGliteOptions;
  fill(db: PGlite): Promise<void>;
}

/** Opens a copy of a PGlite that is filled once for all tests. */
export async function filledPglite(filling: Filling): Promise<PGlite> {
  return await openCopy(await filledFiles(filling), filling.options);
}

async function filledFiles({ name, sources, options, fill }: Filling): Promise<string> {
  const state = createHash("sha256").update(`${packedState()} ${options?.startParams} ${fill}`);
  const folders = [...sources, "examples/data-parts/src", "packages/postgres/src"];
  for (const folder of folders)
    for (const file of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).sort())
      if (file.endsWith(".ts")) state.update(file).update(readFileSync(join(root, folder, file)));
  const filled = join(cache, `${name}-${state.digest("hex").slice(0, 16)}`);
  if (existsSync(filled)) return filled;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, `${name}-`));
  const made = join(folder, "db");
  await writeDatabase(made);
  const db = await startPglite(made, options);
  await fill(db);
  // Its log would double what is copied.
  await db.exec("CHECKPOINT");
  await db.close();
  try {
    renameSync(made, filled);
  } catch {
    // Another process may have made it in the meantime.
  }
  rmSync(folder, { recursive: true, force: true });
  return filled;
}
