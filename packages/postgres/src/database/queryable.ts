import { messageOf, PawlError } from "@pawl/core";
import { tryUntilApplied } from "@pawl/core/store";

/**
 * The part of a database that Pawl uses. `query` runs one statement with `$1`, `$2` … in its own transaction.
 * A `pg.Pool` and a PGlite fit. Prepared statements have no names, so poolers in transaction mode work.
 */
export interface Queryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/**
 * The part of postgres.js that Pawl uses: the `sql` that `postgres(url)` returns. Behind a pooler in
 * transaction mode, create it with `prepare: false`.
 */
export interface PostgresJs {
  unsafe(text: string, values: never[], options: { prepare: boolean }): PromiseLike<readonly unknown[]>;
}

/**
 * A Postgres database: your own pool of `pg` or `postgres` (postgres.js), a PGlite, or anything with the same
 * `query`.
 */
export type Database = Queryable | PostgresJs;

/** A row as any driver returns it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Runs one statement. Retries a statement that the database rolled back because of concurrent statements.
 *
 * @throws PawlError `store_unavailable` for any other failure, with the driver's error as its cause.
 */
export async function ask(db: Database, text: string, values: unknown[] = []): Promise<readonly Row[]> {
  return await tryUntilApplied(() => once(db, text, values));
}

/** Runs one statement once. @throws PawlError `store_unavailable` for any failure */
export async function once(db: Database, text: string, values: unknown[]): Promise<readonly Row[]> {
  try {
    if ("query" in db) return (await db.query(text, values)).rows as Row[];
    return (await db.unsafe(text, values as never[], { prepare: values.length > 0 })) as Row[];
  } catch (cause) {
    if (PawlError.is(cause)) throw cause;
    throw new PawlError("store_unavailable", `The database failed: ${messageOf(cause)}`, { cause });
  }
}
