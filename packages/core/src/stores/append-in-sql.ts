import { PawlError } from "../base/errors.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
import type { AppendOptions } from "../log/store/event-store.ts";
import { type AppendCall, appendCall, storedEvents } from "./append-call.ts";
import { explainRefusal, noSession, type Refused } from "./refusal.ts";
import { sqlState } from "./retry-undone.ts";

/** SQLSTATE of a violated unique index: the append id, a key or the `seq` of an event was taken. */
const UNIQUE_VIOLATION = "23505";

/**
 * The most attempts for an append that is refused without a reason in the log. The text of the error has the
 * same number.
 */
const APPEND_TRIES = 5;

/**
 * The two operations on a SQL database that {@link appendInSql} needs. The database has a table of sessions
 * and a table of events. Unique indexes on events cover session and `seq`, session and key, and session and
 * append id (of an append's first event).
 */
export interface SqlLog {
  /**
   * Stores the whole append in one transaction, or nothing. Postgres does this in the function
   * `pawl_store_events`.
   *
   * 1. Find and lock the session's row. Refuse the append if there is no such row, if `leaseEpoch` is not
   *    `null` and the row's lease has another epoch or holder, or if `afterSeq` is not `null` and not the
   *    last `seq`. An expired lease counts like a live one.
   * 2. Refuse the append if the session has an event with its append id or with one of its keys.
   * 3. Let `base` be the session's last `seq`. Insert the events with `base + 1`, `base + 2`, …. All have the
   *    same `at`: now, or the row's `updatedAt` if that is later.
   * 4. Update the row: set the last `seq`, set `updatedAt` to that `at`, apply `patch`, and end the lease if
   *    `release` is set.
   *
   * Resolves with `base` and `at` (ISO 8601 in UTC with milliseconds), or with `undefined` if the append was
   * refused. A violated unique index may also reject: with a PawlError whose `cause.code` is the SQLSTATE
   * `23505`. Any other rejection reaches the caller as it is.
   */
  append(call: AppendCall): Promise<{ base: number; at: string } | undefined>;
  /**
   * Reads the state of the log after an append was refused, for {@link appendInSql} to find the reason.
   * Returns `undefined` if the session does not exist. Read the session's row before the events.
   */
  explain(call: AppendCall): Promise<Refused | undefined>;
}

/**
 * Implements {@link EventStore.append} for a store over any SQL database. Checks the append and stores it
 * with one call of {@link SqlLog.append}. If the append is refused, finds the reason with
 * {@link SqlLog.explain}. Returns the stored events of a repeated append id, and throws for any other reason.
 *
 * @throws PawlError as {@link EventStore.append}; `store_unavailable` for an append that was refused five
 * times although the log has no reason for it
 *
 * @example
 * ```ts
 * import { appendInSql, type SqlLog } from "@pawl/core/store";
 *
 * const log: SqlLog = {
 *   // A store calls the database here.
 *   append: async () => ({ base: 0, at: "2026-11-22T09:05:47.310Z" }),
 *   explain: async () => undefined,
 * };
 * const events = [{ type: "note", data: { text: "hello" } }] as const;
 * const [stored] = await appendInSql(log, "s1", events, { appendId: "a1" });
 * console.log(stored?.seq, stored?.at); // 1 2026-11-22T09:05:47.310Z
 * ```
 */
export async function appendInSql(
  log: SqlLog,
  sessionId: string,
  events: readonly NewEvent[],
  options: AppendOptions,
): Promise<readonly StoredEvent[]> {
  const call = appendCall(sessionId, events, options);
  let lastFailure: unknown;
  for (let tries = 0; tries < APPEND_TRIES; tries += 1) {
    try {
      const appended = await log.append(call);
      if (appended !== undefined) return storedEvents(call, appended.base, appended.at);
    } catch (error) {
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
      lastFailure = error;
    }
    const state = await log.explain(call);
    if (state === undefined) throw noSession(sessionId);
    const repeated = explainRefusal(sessionId, events, state, options);
    if (repeated !== undefined) return repeated;
  }
  throw new PawlError(
    "store_unavailable",
    `The append to session "${sessionId}" was refused five times, and the log has no reason for it: append id, lease, afterSeq and keys fit.`,
    { cause: lastFailure },
  );
}
