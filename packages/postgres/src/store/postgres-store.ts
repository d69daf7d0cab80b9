import { checkOptions, type EventStore, type OptionKinds } from "@pawl/core";
import { checkNumbers } from "@pawl/core/tools";
import { checkDatabase } from "../database/check-database.ts";
import { transactionsOf } from "../database/in-transaction.ts";
import type { Database } from "../database/queryable.ts";
import { ownTables } from "../database/schema-version.ts";
import { append, appendingWith } from "./append.ts";
import { acquire, release, renew } from "./leases.ts";
import { open, saveSnapshot } from "./open.ts";
import { read } from "./read.ts";
import { listRecoverable, sessions } from "./sessions.ts";

/** Options of `postgresStore()`. */
export interface PostgresStoreOptions {
  /**
   * How long a statement may take, in milliseconds, with its wait for a connection of the pool. Then it fails
   * with `store_unavailable`: a connection that has frozen, or a pool without one left, would otherwise keep
   * runs waiting for ever. Default: 60,000.
   */
  timeoutMs?: number;
}

const OPTIONS: OptionKinds<PostgresStoreOptions> = { timeoutMs: "number" };

/** The longest time of a timer, in milliseconds. */
const LONGEST_MS = 2_147_483_647;

/**
 * Keeps the log in a Postgres database. Create the schema first with {@link migrate}. Each method is one
 * statement, so any driver and any pooler works. Only `appendWith` is a transaction of several statements; it
 * needs a pool of `pg`, the `sql` of postgres.js, or a PGlite. Times are by the database's clock.
 *
 * The isolation level should be `READ COMMITTED`, the default of Postgres: concurrent writers then wait for
 * each other. At a stricter level, statements may fail and are retried.
 *
 * Payloads of events are kept exactly as sent. In metadata, which is kept as `jsonb`, NUL and half surrogate
 * pairs become U+FFFD.
 *
 * @example
 * ```ts
 * import { migrate, postgresStore } from "@pawl/postgres";
 * import { Pool } from "pg";
 *
 * const db = new Pool({ connectionString: process.env.DATABASE_URL });
 * await migrate(db);
 * const store = postgresStore(db);
 * await store.sessions.create({ id: "s1", userId: "u1", agent: "coach" });
 * await store.append("s1", [{ type: "note", data: { text: "hello" } }], { appendId: "a1" });
 * await db.end();
 * ```
 */
export function postgresStore(database: Database, options: PostgresStoreOptions = {}): EventStore {
  checkDatabase("postgresStore()", database);
  checkOptions("postgresStore()", options, OPTIONS);
  const { timeoutMs = 60_000 } = options;
  checkNumbers("postgresStore()", { timeoutMs }, { least: 1, most: LONGEST_MS });
  const inTransaction = transactionsOf(database);
  const db = ownTables(database, timeoutMs);
  return {
    append: (sessionId, events, options) => append(db, sessionId, events, options),
    ...(inTransaction && { appendWith: appendingWith(db, inTransaction) }),
    read: (sessionId, options) => read(db, sessionId, options),
    open: (wanted) => open(db, wanted),
    saveSnapshot: (sessionId, snapshot) => saveSnapshot(db, sessionId, snapshot),
    acquire: (sessionId, holder, ttlMs) => acquire(db, sessionId, holder, ttlMs),
    renew: (lease, ttlMs) => renew(db, lease, ttlMs),
    release: (lease) => release(db, lease),
    listRecoverable: (options) => listRecoverable(db, options),
    sessions: sessions(db),
  };
}
