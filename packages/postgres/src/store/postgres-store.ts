import type { EventStore } from "@pawl/core";
import type { Database } from "../database/queryable.ts";
import { append } from "./append.ts";
import { acquire, release, renew } from "./leases.ts";
import { read } from "./read.ts";
import { listRecoverable, sessions } from "./sessions.ts";

/**
 * Keeps the log in a Postgres database. Every method is one statement, so it works with any driver and any
 * pooler. The database's clock counts. Create the schema first: see {@link migrate}. The isolation level
 * should be `READ COMMITTED`, the default of Postgres: writers then wait for each other instead of failing.
 * With a stricter level, failed statements are retried.
 *
 * Metadata is kept as `jsonb`: NUL and half surrogate pairs in it become U+FFFD. Payloads of events are kept
 * as sent.
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
export function postgresStore(db: Database): EventStore {
  return {
    append: (sessionId, events, options) => append(db, sessionId, events, options),
    read: (sessionId, options) => read(db, sessionId, options),
    acquire: (sessionId, holder, ttlMs) => acquire(db, sessionId, holder, ttlMs),
    renew: (lease, ttlMs) => renew(db, lease, ttlMs),
    release: (lease) => release(db, lease),
    listRecoverable: (options) => listRecoverable(db, options),
    sessions: sessions(db),
  };
}
