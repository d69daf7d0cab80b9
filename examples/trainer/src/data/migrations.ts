import type { Database } from "@pawl/postgres";
import { ask } from "./ask.ts";
import { tables } from "./migrations/001-tables.ts";
import { locations } from "./migrations/002-locations.ts";

/**
 * All steps, in order. New steps are appended; existing ones never change. Each one is SQL that is valid
 * inside a PL/pgSQL block.
 */
const migrations: readonly { version: number; sql: string }[] = [
  { version: 1, sql: tables },
  { version: 2, sql: locations },
];

/**
 * Creates or updates the trainer's tables, in a separate schema. Call it at every start; several processes
 * may do so at once. Each step runs once, in the transaction that records it.
 */
export async function migrateTrainer(db: Database): Promise<void> {
  const done = await applied(db);
  for (const { version, sql } of migrations) if (!done.has(version)) await apply(db, version, sql);
}

/** Applies a step. Ignores an error if another process has applied the same step in the meantime. */
async function apply(db: Database, version: number, sql: string): Promise<void> {
  try {
    await ask(db, guarded(version, sql));
  } catch (error) {
    if (!(await applied(db)).has(version)) throw error;
  }
}

async function applied(db: Database): Promise<ReadonlySet<number>> {
  const [row] = await ask(db, "SELECT to_regclass('trainer.migrations') IS NOT NULL AS there");
  const rows = row?.there === true ? await ask(db, "SELECT version FROM trainer.migrations") : [];
  return new Set(rows.map(({ version }) => Number(version)));
}

/** Builds one statement that runs a step unless it ran before. Concurrent callers wait until it ends. */
function guarded(version: number, sql: string): string {
  return `DO $trainer_migration$ BEGIN
PERFORM pg_advisory_xact_lock(7231951);
CREATE SCHEMA IF NOT EXISTS trainer;
CREATE TABLE IF NOT EXISTS trainer.migrations (
  version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM trainer.migrations WHERE version = ${version}) THEN
${sql}
INSERT INTO trainer.migrations (version) VALUES (${version});
END IF;
END $trainer_migration$`;
}
