import { jsonbText, tryUntilApplied } from "@pawl/core/store";
import type { Database } from "@pawl/postgres";

/** A row as any driver gives it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Runs one statement, and again where the database undid it because of others. Drivers' errors pass as they
 * are. A NUL, which no text of a database holds, is stored as U+FFFD, as the log has it.
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

/** `tryUntilApplied` looks for the database's code at the cause of an error. */
class Undone extends Error {}

async function once(db: Database, text: string, values: unknown[]): Promise<readonly Row[]> {
  try {
    if ("query" in db) return (await db.query(text, values)).rows as Row[];
    return (await db.unsafe(text, values as never[], { prepare: values.length > 0 })) as Row[];
  } catch (cause) {
    throw new Undone("The database failed.", { cause });
  }
}

/** A list as one parameter. As text, because drivers differ in how they send JSON. */
export function rowsParam(rows: readonly object[]): string {
  return jsonbText(rows);
}
