import { PawlError } from "../base/errors.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
import type { AppendOptions } from "../log/event-store.ts";
import { type AppendCall, appendCall, storedEvents } from "./append-call.ts";
import { explainRefusal, noSession, type Refused } from "./refusal.ts";
import { sqlState } from "./retry-undone.ts";

/** SQLSTATE of a violated unique index: an append id or a key was there, or the number of the event. */
const UNIQUE_VIOLATION = "23505";

/** How often an append is tried that failed for a reason that was gone when looked for. */
const APPEND_TRIES = 5;

/** A log in a database with `pawl_store_events`, over whatever leads there. */
export interface SqlLog {
  /**
   * One call of `pawl_store_events`: what it returns, or `undefined` when that is nothing. It rejects with a
   * PawlError whose `cause.code` is the SQLSTATE, if there is one.
   */
  append(call: AppendCall): Promise<{ base: number; at: string } | undefined>;
  /** What is there now; `undefined` without such a session. The row of the session is read first. */
  explain(call: AppendCall): Promise<Refused | undefined>;
}

/** {@link EventStore.append} for stores over SQL: one call, and a look at the reason where it was refused. */
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
  throw new PawlError("store_unavailable", `The append to session "${sessionId}" fails again and again.`, {
    cause: failure,
  });
}
