import type { Database } from "@pawl/postgres";
import { ask } from "./ask.ts";
import { steps } from "./migrations/index.ts";

/**
 * Creates or updates the tables of the search, in the schema `enterprise_search`. Call it at every start;
 * several processes may do so at once. Each step runs once, in the transaction that records it. The database
 * must offer the extensions `pg_trgm` and `unaccent`.
 */
export async function migrateSearch(db: Database): Promise<void> {
  for (let version = (await currentVersion(db)) + 1; version <= steps.length; version += 1) {
    try {
      await ask(db, onceOnly(version, steps[version - 1] as string));
    } catch (error) {
      // Another process may have applied the step in the meantime.
      if ((await currentVersion(db)) < version) throw error;
    }
  }
}

async function currentVersion(db: Database): Promise<number> {
  const [found] = await ask<{ exists: boolean }>(
    db,
    "SELECT to_regclass('enterprise_search.migration') IS NOT NULL AS exists",
  );
  if (found?.exists !== true) return 0;
  const [row] = await ask<{ version: number }>(
    db,
    "SELECT coalesce(max(version), 0)::integer AS version FROM enterprise_search.migration",
  );
  return row?.version ?? 0;
}

/** Builds one statement that runs a step unless it ran before. Concurrent callers wait until it ends. */
function onceOnly(version: number, step: string): string {
  return `DO $search_step$ BEGIN
PERFORM pg_advisory_xact_lock(7231962);
CREATE SCHEMA IF NOT EXISTS enterprise_search;
CREATE TABLE IF NOT EXISTS enterprise_search.migration (
  version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM enterprise_search.migration WHERE version = ${version}) THEN
${step}
INSERT INTO enterprise_search.migration (version) VALUES (${version});
END IF;
END $search_step$`;
}
