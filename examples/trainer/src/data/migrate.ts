import { migrate } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { tables } from "./migrations/001-tables.ts";
import { locations } from "./migrations/002-locations.ts";

/**
 * Creates or updates the trainer's tables, in the schema `trainer`. Call it at every start; several processes
 * may do so at once.
 */
export async function migrateTrainer(db: Database): Promise<void> {
  await migrate(db, {
    schema: "trainer",
    table: "migrations",
    lock: 7231951,
    steps: [tables, locations],
  });
}
