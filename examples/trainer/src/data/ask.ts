import { jsonbText, tryUntilApplied } from "@pawl/core/store";
import type { Database } from "@pawl/postgres";

/** A row of a result, with values of any type. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Runs one statement. Retries it if the database rolled it back because of concurrent work. Rejects with the
 * driver's error. NUL characters, which Postgres cannot store in text, are stored as U+FFFD.
 */
export async function ask(
  db: Database,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  try {
    return await tryUntilApplied(() => once(db, text, values.map(storable)));
  } catch (error) {
    throw error instanceof Undone ? error.cause : error;
  }
}

function storable(value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\uFFFD") : value;
}

/** A failed statement. Its `cause` is the driver's error, where `tryUntilApplied` looks for the SQLSTATE. */
class Undone extends Error {}

async function once(db: Database, text: string, values: unknown[]): Promise<readonly Row[]> {
  try {
    if ("query" in db) return (await db.query(text, values)).rows as Row[];
    return (await db.unsafe(text, values as never[], { prepare: values.length > 0 })) as Row[];
  } catch (cause) {
    throw new Undone("The database failed.", { cause });
  }
}

/**
 * Converts rows to one parameter. It is JSON as text, because drivers differ in how they send JSON values.
 */
export function rowsParam(rows: readonly object[]): string {
  return jsonbText(rows);
}
