import { PGlite } from "@electric-sql/pglite";
import { newDatabase } from "../../packages/postgres/src/embedded/new-database.ts";

/** Makes a new PGlite in memory from prepared files, in a fraction of the time that creating them takes. */
export async function newPglite(): Promise<PGlite> {
  const loadDataDir = await newDatabase();
  return await PGlite.create(loadDataDir && { loadDataDir });
}
