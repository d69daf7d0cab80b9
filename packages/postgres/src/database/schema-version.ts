import { messageOf, PawlError } from "@pawl/core";
import { ask, type Database, once, type Queryable } from "./queryable.ts";

/** The version of the schema that this package needs: the number of its last migration. */
export const SCHEMA_VERSION = 18;

/**
 * The first version that this package cannot work with. Migrations below it only add, so processes of this
 * version go on beside newer ones during a deploy, and after a rollback.
 */
export const FIRST_BREAKING = 100;

/** Returns the versions that have been applied. */
export async function appliedVersions(db: Database): Promise<ReadonlySet<number>> {
  const [row] = await ask(db, "SELECT to_regclass('pawl_migrations') IS NOT NULL AS there");
  if (row?.there !== true) return new Set();
  const rows = await ask(db, "SELECT version FROM pawl_migrations");
  return new Set(rows.map(({ version }) => Number(version)));
}

/** Returns why a schema of this version does not fit, and what to do; `undefined` if it is this package's. */
export function misfit(version: number): string | undefined {
  if (version === SCHEMA_VERSION) return undefined;
  const has = version === 0 ? "no schema of Pawl" : `version ${version} of the schema`;
  return version < SCHEMA_VERSION
    ? `The database has ${has}; this version of @pawl/postgres needs ${SCHEMA_VERSION}: run migrate() first.`
    : `The database has ${has}; this version of @pawl/postgres knows versions up to ${SCHEMA_VERSION}. Update @pawl/postgres.`;
}

/**
 * Returns the database for statements over Pawl's own tables. If one fails because a table, a column or a
 * function is missing, the error names the schema's version and what to do.
 */
export function ownTables(db: Database): Queryable {
  return {
    async query(text, values = []) {
      try {
        return { rows: [...(await once(db, text, values))] };
      } catch (error) {
        throw await explained(db, error);
      }
    },
  };
}

/** The SQLSTATEs for a function, a table and a column that do not exist. */
const MISSING: readonly unknown[] = ["42883", "42P01", "42703"];

async function explained(db: Database, error: unknown): Promise<unknown> {
  const { cause } = error as { cause?: { code?: unknown } };
  if (!MISSING.includes(cause?.code)) return error;
  const versions = await appliedVersions(db).catch(() => undefined);
  const advice = versions && misfit(Math.max(0, ...versions));
  if (advice === undefined) return error;
  return new PawlError("store_unavailable", `${advice} ${messageOf(cause)}`, { cause });
}
