import { PawlError } from "@pawl/core";
import { checkDatabase } from "../database/check-database.ts";
import { ask, type Database } from "../database/queryable.ts";
import { appliedVersions, FIRST_BREAKING, misfit } from "../database/schema-version.ts";
import { log } from "./001-log.ts";
import { blobs } from "./002-blobs.ts";
import { access } from "./003-access.ts";
import { appendFunction } from "./003-append.ts";
import { own } from "./003-own.ts";
import { views } from "./003-views.ts";
import { reservations } from "./004-reservations.ts";
import { rpc } from "./005-rpc.ts";
import { rpcAccess } from "./005-rpc-access.ts";
import { accessAgain } from "./006-access.ts";
import { append } from "./006-append.ts";
import { ownAgain } from "./006-own.ts";
import { live } from "./007-live.ts";
import { status } from "./008-status.ts";
import { columns } from "./009-access.ts";
import { ownIds } from "./009-own.ts";
import { suspended } from "./010-suspended.ts";
import { wake } from "./011-wake.ts";
import { open } from "./012-open.ts";
import { snapshots } from "./013-snapshots.ts";
import { acquired } from "./014-acquired.ts";
import { answers } from "./015-answers.ts";
import { pages } from "./016-pages.ts";
import { leases } from "./017-leases.ts";
import { wakes } from "./018-wakes.ts";

/** One step of the schema. A released step never changes. */
export interface Migration {
  /** The migration's number, from 1. Migrations are applied in this order. */
  version: number;
  /** A short name, e.g. `blobs`. */
  name: string;
  /** One or more SQL statements, as allowed in a PL/pgSQL block. */
  sql: string;
}

/** All steps of the schema, in order. */
export const migrations: readonly Migration[] = [
  { version: 1, name: "log", sql: log },
  { version: 2, name: "blobs", sql: blobs },
  { version: 3, name: "access", sql: `${appendFunction}${views}${own}${access}` },
  { version: 4, name: "reservations", sql: reservations },
  { version: 5, name: "rpc", sql: `${rpc}${rpcAccess}` },
  { version: 6, name: "append", sql: `${append}${ownAgain}${accessAgain}` },
  { version: 7, name: "live", sql: live },
  { version: 8, name: "status", sql: status },
  { version: 9, name: "own", sql: `${ownIds}${columns}` },
  { version: 10, name: "suspended", sql: suspended },
  { version: 11, name: "wake", sql: wake },
  { version: 12, name: "open", sql: open },
  { version: 13, name: "snapshots", sql: snapshots },
  { version: 14, name: "acquired", sql: acquired },
  { version: 15, name: "answers", sql: answers },
  { version: 16, name: "pages", sql: pages },
  { version: 17, name: "leases", sql: leases },
  { version: 18, name: "wakes", sql: wakes },
];

/**
 * Brings the database's schema up to date. Safe to run at every start, also by several processes at once.
 * Each step runs once, in a transaction that also adds the step to the table `pawl_migrations`. If no step is
 * missing, nothing is written, so a role without the right to write suffices.
 *
 * From a shell, run `npx pawl-postgres migrate`. For other tools, see {@link migrationFiles}.
 *
 * A newer schema is accepted if its steps only add to this package's, so that processes of this version
 * can start during a deploy and after a rollback.
 *
 * @throws PawlError `store_unavailable` if the database fails. `config` if a newer version of this package
 * has changed the schema so that this one cannot use it (step 100 or later).
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
export async function migrate(db: Database): Promise<void> {
  checkDatabase("migrate()", db);
  const done = await appliedVersions(db);
  const newest = Math.max(0, ...done);
  if (newest >= FIRST_BREAKING) throw new PawlError("config", misfit(newest) ?? "");
  for (const migration of migrations) if (!done.has(migration.version)) await apply(db, migration);
}

/** Applies one step. Ignores a failure if another process has applied the step in the meantime. */
// At a stricter isolation level than READ COMMITTED, a transaction that waited for another one does not see
// its changes, and fails.
async function apply(db: Database, migration: Migration): Promise<void> {
  try {
    await ask(db, guarded(migration));
  } catch (error) {
    if (!(await appliedVersions(db)).has(migration.version)) throw error;
  }
}

/**
 * Returns the steps of the schema as SQL files for `psql` or other tools, keyed by file name. This package's
 * folder `sql` has the same files. Run them in the order of their names, each as one statement. A file that
 * has been run does nothing the next time, and {@link migrate} skips it.
 *
 * @example
 * ```ts
 * import { migrationFiles } from "@pawl/postgres";
 *
 * console.log(Object.keys(migrationFiles())); // [ '001-log.sql', '002-blobs.sql', … ]
 * ```
 */
export function migrationFiles(): Record<string, string> {
  return Object.fromEntries(
    migrations.map((migration) => {
      const { version, name } = migration;
      return [`${String(version).padStart(3, "0")}-${name}.sql`, `${guarded(migration)};\n`];
    }),
  );
}

/**
 * Returns one statement that runs a step unless the step has been applied. Concurrent statements wait for
 * each other.
 */
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
