import { PawlError } from "@pawl/core";
import type { SqliteDatabase } from "../database/sqlite-database.ts";
import { log } from "./001-log.ts";
import { leaseSince } from "./002-lease-since.ts";

/** All steps of the schema, in order. A released step never changes. */
const steps: readonly (readonly string[])[] = [log, leaseSince];

/**
 * Brings the schema up to date. Several processes may do this at once. If no step is missing, nothing is
 * written.
 *
 * @throws PawlError `config` if a newer version of this package has changed the schema
 */
// The version is in a table of our own: a Durable Object has no `PRAGMA user_version`, and in a file that
// belongs to an application the pragma is the application's.
export function migrate(db: SqliteDatabase): void {
  if (versionOf(db) === steps.length) return;
  db.transaction(() => {
    // Read again: another process may have migrated in the meantime.
    const done = versionOf(db);
    if (done === 0) db.run("CREATE TABLE pawl_schema (version INTEGER NOT NULL) STRICT", []);
    for (const statement of steps.slice(done).flat()) db.run(statement, []);
    db.run("DELETE FROM pawl_schema", []);
    db.run("INSERT INTO pawl_schema (version) VALUES (?)", [steps.length]);
  });
}

/** Returns the number of steps that the database has. */
function versionOf(db: SqliteDatabase): number {
  const [table] = db.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'pawl_schema'", []);
  if (table === undefined) return 0;
  const [row] = db.run("SELECT version FROM pawl_schema", []);
  const version = Number(row?.version);
  if (version <= steps.length) return version;
  throw new PawlError(
    "config",
    `The database has version ${version} of the schema; this version of @pawl/sqlite knows versions up to ${steps.length}. Update @pawl/sqlite.`,
  );
}
