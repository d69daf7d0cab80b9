import { messageOf, PawlError } from "@pawl/core";
import { type Database, once, type Queryable } from "./queryable.ts";

/** Does work in one transaction: commits it, or rolls it back if the work rejects. */
export type InTransaction = <T>(work: (transaction: Queryable) => Promise<T>) => Promise<T>;

/** A connection of a pool of `pg`. */
interface Client extends Queryable {
  release(destroy?: boolean): void;
  on?(event: "error", listener: () => void): unknown;
  off?(event: "error", listener: () => void): unknown;
}

/** Returns how to do work in a transaction of this database; `undefined` if it has no transactions. */
export function transactionsOf(db: Database): InTransaction | undefined {
  const { connect, totalCount, transaction, begin } = db as unknown as Partial<Record<string, unknown>>;
  // A client of `pg` has `connect`, too. It has one connection, which other statements share.
  if (typeof connect === "function" && totalCount !== undefined) {
    return (work) => onClient(db as unknown as { connect(): Promise<Client> }, work);
  }
  if (typeof transaction === "function") return (work) => inPglite(db as never, work);
  if (typeof begin === "function") return (work) => inPostgresJs(db as never, work);
  return undefined;
}

async function onClient<T>(
  pool: { connect(): Promise<Client> },
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch(unavailable);
  // Without a listener, a connection that is lost between two statements would end the process.
  const ignore = () => undefined;
  client.on?.("error", ignore);
  let isBroken = false;
  try {
    await once(client, "BEGIN", []);
    const done = await work(client);
    await once(client, "COMMIT", []);
    return done;
  } catch (error) {
    isBroken = !(await isRolledBack(client));
    throw error;
  } finally {
    client.off?.("error", ignore);
    client.release(isBroken);
  }
}

/** How long a rollback may take before its connection is given up, in milliseconds. */
const ROLLBACK_MS = 1_000;

/**
 * Rolls back. A statement that the work has left may still wait for a lock, and the rollback waits for that
 * statement.
 */
async function isRolledBack(client: Client): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ROLLBACK_MS, false);
  });
  const done = client.query("ROLLBACK").then(
    () => true,
    () => false,
  );
  return await Promise.race([done, late]).finally(() => clearTimeout(timer));
}

async function inPglite<T>(
  db: { transaction<R>(work: (transaction: Queryable) => Promise<R>): Promise<R> },
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  return await passing(work, (guarded) => db.transaction(guarded));
}

async function inPostgresJs<T>(
  sql: { begin<R>(work: (transaction: Sql) => Promise<R>): Promise<R> },
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  return await passing(work, (guarded) =>
    sql.begin((transaction) =>
      guarded({
        query: async (text, values = []) => ({
          rows: [...(await transaction.unsafe(text, values as never[], { prepare: values.length > 0 }))],
        }),
      }),
    ),
  );
}

interface Sql {
  unsafe(text: string, values: never[], options: { prepare: boolean }): PromiseLike<readonly unknown[]>;
}

/** Passes an error of the work on as it is, and any other error as one of the database. */
async function passing<T>(
  work: (transaction: Queryable) => Promise<T>,
  inDatabase: (guarded: (transaction: Queryable) => Promise<T>) => Promise<T>,
): Promise<T> {
  let failed: { error: unknown } | undefined;
  const guarded = async (transaction: Queryable) => {
    try {
      return await work(transaction);
    } catch (error) {
      failed = { error };
      throw error;
    }
  };
  try {
    return await inDatabase(guarded);
  } catch (error) {
    if (failed !== undefined) throw failed.error;
    return unavailable(error);
  }
}

function unavailable(cause: unknown): never {
  throw new PawlError("store_unavailable", `The database failed: ${messageOf(cause)}`, { cause });
}
