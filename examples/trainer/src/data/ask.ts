import { jsonbText, tryUntilApplied } from "@pawl/core/store";
import type { Database } from "@pawl/postgres";

/** A row as any driver gives it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Runs one statement, and retries it if the database rolled it back because of concurrent work. Throws the
 * driver's errors as they are. NUL, which no text of a database can hold, is stored as U+FFFD, as in the log.
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

/** Carries the driver's error as its cause, because `tryUntilApplied` looks for the database's code there. */
class Undone extends Error {}

async function once(db: Database, text: string, values: unknown[]): Promise<readonly Row[]> {
  try {
    if ("query" in db) return (await db.query(text, values)).rows as Row[];
    return (await db.unsafe(text, values as never[], { prepare: values.length > 0 })) as Row[];
  } catch (cause) {
    throw new Undone("The database failed.", { cause });
  }
}

/** Makes one parameter of a list. It is text because drivers differ in how they send JSON. */
export function rowsParam(rows: readonly object[]): string {
  return jsonbText(rows);
}
