import { tryUntilApplied } from "@pawl/core/store";
import type { Database } from "@pawl/postgres";

/**
 * Runs one statement and returns its rows. Retries it if the database rolled it back because of concurrent
 * work. Rejects with the driver's error.
 *
 * Statements name all columns and cast them to types that every driver returns alike: text, integer, float8
 * and boolean. `T` is their type.
 */
export async function ask<T = object>(
  db: Database,
  text: string,
  values: readonly unknown[] = [],
): Promise<T[]> {
  const given = values.map((value) => (typeof value === "string" ? storable(value) : value));
  try {
    const rows = await tryUntilApplied(() => once(db, text, given));
    return rows.map((row) => ({ ...(row as object) }) as T);
  } catch (error) {
    throw error instanceof Failed ? error.cause : error;
  }
}

/** Replaces what Postgres cannot store in text: NUL and halves of surrogate pairs. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** A failed statement. Its `cause` is the driver's error, where `tryUntilApplied` looks for the SQLSTATE. */
class Failed extends Error {}

async function once(db: Database, text: string, values: unknown[]): Promise<readonly unknown[]> {
  try {
    if ("query" in db) return (await db.query(text, values)).rows;
    return await db.unsafe(text, values as never[], { prepare: values.length > 0 });
  } catch (cause) {
    throw new Failed("The statement failed.", { cause });
  }
}
