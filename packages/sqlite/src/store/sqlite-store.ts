import type { EventStore } from "@pawl/core";
import { watchedStore } from "@pawl/core/store";
import { checkDatabase, type SqliteDatabase, withPawlErrors } from "../database/sqlite-database.ts";
import { migrate } from "../migrations/migrate.ts";
import { append } from "./append.ts";
import { withCommits } from "./group-commit.ts";
import { acquire, release, renew } from "./leases.ts";
import { open, saveSnapshot } from "./open.ts";
import { read } from "./read.ts";
import { listRecoverable, nextDue, sessions } from "./sessions.ts";

/** A store over SQLite. */
export interface SqliteStore extends EventStore {
  /**
   * Returns when the next run of these agents has to be resumed by `sweep()`, ISO 8601: when its lease
   * expires, or its `wakeAt` comes. In the past for a run that can be resumed now, `undefined` if no run has
   * to be. A run that waits for the user's answer only does not count. Set a timer or an alarm by it, so that
   * nothing has to sweep regularly.
   *
   * With `after` (ISO 8601), times up to it are ignored. Pass the current time after a sweep, so that a run
   * that could not be resumed is not returned again instead of the next one. Rejects with `invalid_input` if
   * `after` is not a time.
   */
  nextDue(options: { agents: readonly string[]; after?: string }): Promise<string | undefined>;
}

/**
 * Keeps the log in a SQLite database: a file of {@link nodeSqlite}, or the storage of a Durable Object by
 * {@link durableObject}. Creates the tables if they are missing, and brings those of an earlier version up to
 * date. Their names begin with `agent_session` and `pawl_`, so the database may have others.
 *
 * Times and leases are by SQLite's clock, which is the machine's. Payloads are kept exactly as sent, at any
 * length. In a database that only this process can write to (a Durable Object, `":memory:"`), readers are
 * notified of every append; otherwise those of other processes poll.
 *
 * @throws PawlError `config` if a newer version of this package has changed the tables, `store_unavailable`
 * if the database fails
 *
 * @example
 * ```ts
 * import { agent, runtime } from "@pawl/core";
 * import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const db = nodeSqlite(":memory:"); // in an app the path of a file, e.g. "pawl.db"
 * const greeter = agent({
 *   name: "greeter",
 *   model: scriptedModel([{ text: "Hello, Ada." }]),
 *   instructions: "Greet the user.",
 * });
 * const pawl = runtime({ agents: [greeter], store: sqliteStore(db) });
 * const { text } = await pawl.run(greeter, { userId: "ada", input: "Hi" }).result;
 * console.log(text); // Hello, Ada.
 * await pawl.drain();
 * db.close();
 * ```
 */
export function sqliteStore(database: SqliteDatabase): SqliteStore {
  checkDatabase(database);
  const db = withCommits(withPawlErrors(database));
  migrate(db);
  const store: EventStore = {
    append: (sessionId, events, options) => append(db, sessionId, events, options),
    read: (sessionId, options) => read(db, sessionId, options),
    open: (wanted) => open(db, wanted),
    saveSnapshot: (sessionId, snapshot) => saveSnapshot(db, sessionId, snapshot),
    acquire: (sessionId, holder, ttlMs) => acquire(db, sessionId, holder, ttlMs),
    renew: (lease, ttlMs) => renew(db, lease, ttlMs),
    release: (lease) => release(db, lease),
    listRecoverable: (options) => listRecoverable(db, options),
    sessions: sessions(db),
  };
  return {
    ...(database.exclusive === true ? watchedStore(store) : store),
    nextDue: (options) => nextDue(db, options),
  };
}
