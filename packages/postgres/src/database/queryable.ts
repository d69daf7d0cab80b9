import { messageOf, PawlError } from "@pawl/core";
import { tryUntilApplied } from "@pawl/core/store";

/**
 * The used part of a database: it runs one statement with `$1`, `$2` … at a time, each in its own
 * transaction. A `pg.Pool` and a PGlite have this shape. No prepared statement is named, so a pooler in
 * transaction mode works.
 */
export interface Queryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/**
 * The used part of postgres.js: the `sql` that `postgres(url)` returns. It prepares statements; behind a
 * pooler in transaction mode, make it with `prepare: false`.
 */
export interface PostgresJs {
  unsafe(text: string, values: never[], options: { prepare: boolean }): PromiseLike<readonly unknown[]>;
}

/** Your own pool: `pg`, `postgres` (postgres.js), a PGlite, or anything else with a `query` like theirs. */
export type Database = Queryable | PostgresJs;

/** A row as any driver returns it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Runs one statement. Runs it again if the database rolled it back because of concurrent ones.
 *
 * @throws PawlError `store_unavailable` with the driver's error as its cause.
 */
export async function ask(db: Database, text: string, values: unknown[] = []): Promise<readonly Row[]> {
  return await tryUntilApplied(() => once(db, text, values));
}

async function once(db: Database, text: string, values: unknown[]): Promise<readonly Row[]> {
  try {
    if ("query" in db) return (await db.query(text, values)).rows as Row[];
    return (await db.unsafe(text, values as never[], { prepare: values.length > 0 })) as Row[];
  } catch (cause) {
    throw new PawlError("store_unavailable", `The database failed: ${messageOf(cause)}`, { cause });
  }
}
