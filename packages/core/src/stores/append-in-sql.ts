import { PawlError } from "../base/errors.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
import type { AppendOptions } from "../log/event-store.ts";
import { type AppendCall, appendCall, storedEvents } from "./append-call.ts";
import { explainRefusal, noSession, type Refused } from "./refusal.ts";
import { sqlState } from "./retry-undone.ts";

/** SQLSTATE of a violated unique index: the append id, a key or the event's number was taken. */
const UNIQUE_VIOLATION = "23505";

/** How often an append is tried if the reason for its failure is gone when it is looked up. */
const APPEND_TRIES = 5;

/** A log in a database with `pawl_store_events`, over any kind of connection. */
export interface SqlLog {
  /**
   * Calls `pawl_store_events` once. Resolves to what it returns, or `undefined` if it returns nothing.
   * Rejects with a PawlError whose `cause.code` is the SQLSTATE, if there is one.
   */
  append(call: AppendCall): Promise<{ base: number; at: string } | undefined>;
  /**
   * Reads what is in the log now; `undefined` if there is no such session. It must read the session's row
   * first.
   */
  explain(call: AppendCall): Promise<Refused | undefined>;
}

/**
 * Implements {@link EventStore.append} for SQL stores: one call, and a look-up of the reason if it was
 * refused.
 */
export async function appendInSql(
  log: SqlLog,
  sessionId: string,
  events: readonly NewEvent[],
  options: AppendOptions,
): Promise<readonly StoredEvent[]> {
  const call = appendCall(sessionId, events, options);
  let failure: unknown;
  for (let tries = 0; tries < APPEND_TRIES; tries += 1) {
    try {
      const done = await log.append(call);
      if (done !== undefined) return storedEvents(call, done.base, done.at);
    } catch (error) {
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
      failure = error;
    }
    const found = await log.explain(call);
    if (found === undefined) throw noSession(sessionId);
    const before = explainRefusal(sessionId, events, found, options);
    if (before !== undefined) return before;
  }
  throw new PawlError(
    "store_unavailable",
    `The append to session "${sessionId}" failed ${APPEND_TRIES} times.`,
    {
      cause: failure,
    },
  );
}
