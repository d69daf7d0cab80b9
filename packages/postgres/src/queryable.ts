import { messageOf, PawlError } from "@pawl/core";

/**
 * What the store needs of a database: one statement with `$1`, `$2` … at a time, each in a transaction of its own. A
 * PGlite has this shape, and so has a `pg.Pool`. Nothing is named or prepared, so a pooler in transaction mode will do.
 */
export interface Queryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** A row as any driver gives it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Runs one statement.
 *
 * @throws PawlError `store_unavailable` with the driver's error as its cause.
 */
export async function ask(db: Queryable, text: string, values: unknown[] = []): Promise<readonly Row[]> {
  try {
    return (await db.query(text, values)).rows as Row[];
  } catch (cause) {
    throw new PawlError("store_unavailable", `The database failed: ${messageOf(cause)}`, { cause });
  }
}

/** The SQLSTATE behind an error of {@link ask}, if there is one. */
export function sqlState(error: unknown): string | undefined {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === "string" ? cause.code : undefined;
}
