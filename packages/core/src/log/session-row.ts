import type { JsonObject } from "../base/json.ts";
import type { Usage } from "../model/pricing.ts";

/**
 * The status of a session.
 *
 * - `active`: a run is open, or the session is ready for a message. {@link Session.openRun} says which.
 * - `suspended`: the run waits for the user's answer.
 * - `completed`: the session's work is done. Another run can begin.
 * - `error`: the last run failed. Another run can begin.
 * - `expired`: no run can begin any more.
 *
 * An append can set any status, with two exceptions: `expired` stays, and `completed` stays until another run
 * begins or the session expires.
 */
export type SessionStatus = "active" | "suspended" | "completed" | "error" | "expired";

/** A session's row: the state of the session in brief, which every append to its log updates. */
export interface Session {
  /** The session's id. */
  id: string;
  /** The owner. For other users the session does not exist. */
  userId: string;
  /** The name of the session's agent. */
  agent: string;
  /** What the session is ready for, see {@link SessionStatus}. */
  status: SessionStatus;
  /** When the session was created, ISO 8601, UTC. */
  createdAt: string;
  /** When the last event was stored; `createdAt` if none exists. ISO 8601, UTC. Never decreases. */
  updatedAt: string;
  /** `seq` of the last event; 0 before the first one. */
  lastSeq: number;
  /** Id of the open run; `null` if none exists. */
  openRun: string | null;
  /** The number of questions that wait for an answer, and of calls that wait for a time. */
  pending: number;
  /**
   * When the waiting run continues even without an answer, ISO 8601, by the store's clock; `null` if it waits
   * for answers only, or does not wait. See `EventStore.listRecoverable`.
   */
  wakeAt: string | null;
  /**
   * The model reads the events after this `seq`, and possibly a summary of the earlier ones. 0: all events.
   */
  contextStartSeq: number;
  /** Total tokens of all model calls. */
  usage: Usage;
  /** Total cost in US dollars; 0 if the models have no prices. */
  costUsd: number;
  /**
   * Data of the application; `metadata.type` is the session's type. A NUL or half a surrogate pair in a text
   * is stored as U+FFFD.
   */
  metadata: JsonObject;
}

/**
 * Changes to a session's row. Fields named `add…` are added to the current values. Every append sets
 * `lastSeq` and `updatedAt` itself.
 */
export interface SessionPatch {
  /** The new status, see {@link statusAfter}. */
  status?: SessionStatus;
  /**
   * How many questions the run waits for. With status `suspended`: if a different number is pending, a
   * question was answered in the meantime, and the session becomes `active` instead.
   */
  waitsFor?: number;
  /**
   * Makes a `suspended` session `active`, so that its run is picked up. Every other status stays; `status`
   * takes precedence.
   */
  wakes?: boolean;
  /** The new {@link Session.wakeAt}, see {@link wakeAtAfter}. */
  wakeAt?: string | null;
  /** Id of the open run; `null` if the run has ended. */
  openRun?: string | null;
  /** The change of the number of pending questions. May be negative. */
  addPending?: number;
  /** Tokens to add to the total. */
  addUsage?: Usage;
  /** US dollars to add. The sum is exact to a billionth of a dollar: 0.1 and 0.2 are 0.3. */
  addCostUsd?: number;
  /** The new {@link Session.contextStartSeq}. */
  contextStartSeq?: number;
  /** Merged into the metadata, key by key. A NUL or half a surrogate pair is stored as U+FFFD. */
  metadata?: JsonObject;
}

/**
 * Returns a session's status after an append with this patch. `status` is the current one, read while the row
 * is locked. `pending` is the number of pending questions after the append.
 *
 * @example
 * ```ts
 * import { statusAfter } from "@pawl/core/store";
 *
 * const patch = { status: "suspended", waitsFor: 2 } as const;
 * console.log(statusAfter("active", patch, 2)); // suspended
 * console.log(statusAfter("active", patch, 1)); // active: one question was answered in the meantime
 * ```
 */
export function statusAfter(
  status: SessionStatus,
  { status: newStatus, openRun, waitsFor, wakes }: SessionPatch,
  pending: number,
): SessionStatus {
  if (status === "expired") return status;
  if (newStatus === undefined) return wakes && status === "suspended" ? "active" : status;
  const beginsRun = typeof openRun === "string";
  if (status === "completed" && newStatus !== "expired" && !beginsRun) return status;
  // Otherwise, a question was answered in the meantime.
  const stillWaits = waitsFor === undefined || waitsFor === pending;
  return newStatus === "suspended" && !stillWaits ? "active" : newStatus;
}

/**
 * Returns a session's {@link Session.wakeAt} after an append with this patch. `wakeAt` is the current value,
 * read while the row is locked. A patch that wakes the session, or sets a status other than `suspended`,
 * clears it.
 *
 * @example
 * ```ts
 * import { wakeAtAfter } from "@pawl/core/store";
 *
 * const at = "2026-12-24T18:00:00.000Z";
 * console.log(wakeAtAfter(null, { status: "suspended", wakeAt: at })); // 2026-12-24T18:00:00.000Z
 * console.log(wakeAtAfter(at, { addCostUsd: 1 })); // 2026-12-24T18:00:00.000Z
 * console.log(wakeAtAfter(at, { wakes: true })); // null: a question was answered
 * ```
 */
// A process of an earlier version suspends a run without setting `wakeAt`. The current value then stays, so
// that a newer process wakes the run.
export function wakeAtAfter(wakeAt: string | null, patch: SessionPatch): string | null {
  if (patch.wakeAt !== undefined) return patch.wakeAt;
  const isWoken = patch.wakes === true || (patch.status !== undefined && patch.status !== "suspended");
  return isWoken ? null : wakeAt;
}
