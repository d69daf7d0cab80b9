import type { Database } from "@pawl/postgres";
import { ask } from "./ask.ts";

/** The tables of one example. */
export interface Migrations {
  /** The schema that the tables are in. Is created if it does not exist. */
  schema: string;
  /** The table in this schema that records the applied steps. Default: `migration`. */
  table?: string;
  /** The advisory lock that each step holds. No other example has the same number. */
  lock: number;
  /**
   * All steps, in order. New steps are appended; existing ones never change. Each one is SQL that is valid
   * inside a PL/pgSQL block.
   */
  steps: readonly string[];
}

/**
 * Creates or updates the tables of an example. Call it at every start; several processes may do so at once.
 * Each step runs once, in the transaction that records it. Rejects with the driver's error.
 */
export async function migrate(db: Database, migrations: Migrations): Promise<void> {
  const { steps } = migrations;
  for (let version = (await currentVersion(db, migrations)) + 1; version <= steps.length; version += 1) {
    try {
      await ask(db, onceOnly(version, migrations));
    } catch (error) {
      // Another process may have applied the step in the meantime.
      if ((await currentVersion(db, migrations)) < version) throw error;
    }
  }
}

async function currentVersion(db: Database, migrations: Migrations): Promise<number> {
  const table = tableOf(migrations);
  const [found] = await ask<{ exists: boolean }>(db, `SELECT to_regclass('${table}') IS NOT NULL AS exists`);
  if (found?.exists !== true) return 0;
  const [row] = await ask<{ version: number }>(
    db,
    `SELECT coalesce(max(version), 0)::integer AS version FROM ${table}`,
  );
  return row?.version ?? 0;
}

/** Builds one statement that runs a step unless it ran before. Concurrent callers wait until it ends. */
function onceOnly(version: number, migrations: Migrations): string {
  const { schema, lock, steps } = migrations;
  const table = tableOf(migrations);
  return `DO $migration_step$ BEGIN
PERFORM pg_advisory_xact_lock(${lock});
CREATE SCHEMA IF NOT EXISTS ${schema};
CREATE TABLE IF NOT EXISTS ${table} (
  version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM ${table} WHERE version = ${version}) THEN
${steps[version - 1]}
INSERT INTO ${table} (version) VALUES (${version});
END IF;
END $migration_step$`;
}

const tableOf = ({ schema, table = "migration" }: Migrations): string => `${schema}.${table}`;
