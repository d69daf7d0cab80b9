import { messageOf, PawlError } from "@pawl/core";
import { tryUntilApplied } from "@pawl/core/store";

/**
 * What the store needs of a database: one statement with `$1`, `$2` … at a time, each in a transaction of its
 * own. A `pg.Pool` and a PGlite have this shape. Nothing is named, so a pooler in transaction mode will do.
 */
export interface Queryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/**
 * What the store needs of postgres.js: the `sql` that `postgres(url)` returns. It prepares statements unless
 * it was made with `prepare: false`, as a pooler in transaction mode needs it.
 */
export interface PostgresJs {
  unsafe(text: string, values: never[], options: { prepare: boolean }): PromiseLike<readonly unknown[]>;
}

/** A pool of yours: `pg`, `postgres` (postgres.js), a PGlite, or anything else with a `query` like theirs. */
export type Database = Queryable | PostgresJs;

/** A row as any driver gives it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Runs one statement, and again where the database undid it because of others.
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
