import type { EventStore } from "@pawl/core";
import { checkDatabase } from "../database/check-database.ts";
import { transactionsOf } from "../database/in-transaction.ts";
import type { Database } from "../database/queryable.ts";
import { ownTables } from "../database/schema-version.ts";
import { append, appendingWith } from "./append.ts";
import { acquire, release, renew } from "./leases.ts";
import { open, saveSnapshot } from "./open.ts";
import { read } from "./read.ts";
import { listRecoverable, sessions } from "./sessions.ts";

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
export function postgresStore(database: Database): EventStore {
  checkDatabase("postgresStore()", database);
  const inTransaction = transactionsOf(database);
  const db = ownTables(database);
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
