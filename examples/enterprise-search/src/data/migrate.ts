import { migrate } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { steps } from "./migrations/index.ts";

/**
 * Creates or updates the tables of the search, in the schema `enterprise_search`. Call it at every start;
 * several processes may do so at once. The database must offer the extensions `pg_trgm` and `unaccent`.
 */
export async function migrateSearch(db: Database): Promise<void> {
  await migrate(db, { schema: "enterprise_search", lock: 7231962, steps });
}
