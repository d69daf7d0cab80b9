import { log } from "./migrations/001-log.ts";
import { blobs } from "./migrations/002-blobs.ts";
import { ask, type Queryable } from "./queryable.ts";

/** One step of the schema. Steps are added, never changed. */
export interface Migration {
  version: number;
  name: string;
  /** Plain SQL, any number of statements. */
  sql: string;
}

/** All steps, in order. */
export const migrations: readonly Migration[] = [
  { version: 1, name: "log", sql: log },
  { version: 2, name: "blobs", sql: blobs },
];

/**
 * Brings the database's schema up to date. Safe to run at every start, also by several processes at once: each step
 * runs once, in one transaction with the note in `pawl_migrations` that it ran.
 *
 * @throws PawlError `store_unavailable`
 *
 * @example
 * ```ts
 * import { PGlite } from "@electric-sql/pglite";
 * import { migrate } from "@pawl/postgres";
 *
 * const db = await PGlite.create();
 * await migrate(db);
 * await migrate(db); // nothing left to do
 * await db.close();
 * ```
 */
export async function migrate(db: Queryable): Promise<void> {
  for (const migration of migrations) await ask(db, guarded(migration));
}

/** One statement that runs a step unless it ran before; others who try wait for its end. */
function guarded({ version, name, sql }: Migration): string {
  return `DO $pawl_migration$ BEGIN
PERFORM pg_advisory_xact_lock(7231950);
CREATE TABLE IF NOT EXISTS pawl_migrations (
  version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM pawl_migrations WHERE version = ${version}) THEN
${sql}
INSERT INTO pawl_migrations (version, name) VALUES (${version}, '${name}');
END IF;
END $pawl_migration$`;
}
