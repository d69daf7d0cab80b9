import { checkOptions, type OptionKinds, PawlError } from "@pawl/core";
import type { Database } from "@pawl/postgres";

/** The check of an option that takes a database. A common mistake is a connection string. */
const DATABASE = {
  mustBe: "a database: a Pool of pg, the `sql` of postgres.js, or a PGlite",
  is: (db: unknown) => typeof Object(db).query === "function" || typeof Object(db).unsafe === "function",
  required: true,
};

/** @throws PawlError `config` if `db` is no database */
export function checkDatabase(whose: string, db: Database): void {
  checkOptions(whose, { db }, { db: DATABASE });
}

/** The kind of an option that takes a number of documents. */
export const DOCUMENTS: OptionKinds<{ documents: number }>["documents"] = {
  mustBe: "a whole number from 1,000 to 1,000,000",
  is: (count) => Number.isInteger(count) && Number(count) >= 1_000 && Number(count) <= 1_000_000,
};

/** The kind of an option that takes a whole number from `least`, up to `most` if it is given. */
export const wholeNumber = (least: number, most?: number): OptionKinds<{ count: number }>["count"] => ({
  mustBe: `a whole number from ${least}${most === undefined ? "" : ` to ${most}`}`,
  is: (count) => Number.isSafeInteger(count) && Number(count) >= least && Number(count) <= (most ?? Infinity),
});

/** @throws PawlError `config` if the caller of a search is not valid. Other fields are ignored. */
export function checkCaller(whose: string, caller: unknown): void {
  const { workspaceId, email } = Object(caller);
  checkOptions(
    `The caller of ${whose}`,
    { workspaceId, email },
    { workspaceId: "string!", email: "string!" },
  );
}

/**
 * Does work on the tables.
 *
 * @throws PawlError `config` if the database has no tables yet. Other errors are the driver's.
 */
export async function onTables<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // undefined_table and invalid_schema_name
    if (!["42P01", "3F000"].includes(String(Object(error).code))) throw error;
    throw new PawlError("config", "The database has no company yet. Call storeCompany(db, …) first.", {
      cause: error,
    });
  }
}
