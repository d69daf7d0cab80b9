import { PawlError } from "@pawl/core";
import type { Db } from "pg-boss";

/** A client of `pg` in a transaction, or anything with the same `query`. */
interface Transaction {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Returns what pg-boss needs to send a job in a transaction. @throws PawlError `config` for anything else */
export function inTransaction(transaction: unknown): Db {
  if (typeof Object(transaction).query !== "function") {
    throw new PawlError(
      "config",
      "`transaction` of wake() must be a client of pg after BEGIN, or have the same `query`.",
    );
  }
  const client = transaction as Transaction;
  return { executeSql: async (text, values) => await client.query(text, values) };
}
