import type { JsonObject } from "../base/json.ts";
import type { Usage } from "../model/pricing.ts";

/**
 * - `active`: new, or a run is open, or the last one ended and the next message can come.
 *   {@link Session.openRun} says whether a run is open.
 * - `suspended`: waits for its user's answer.
 * - `completed`, `error`: its work is done, or its last run failed. Another run can begin.
 * - `expired`: no run can begin any more.
 *
 * What an append asks for holds with two exceptions: `expired` stays, and `completed` does until another run
 * begins or the session expires.
 */
export type SessionStatus = "active" | "suspended" | "completed" | "error" | "expired";

/** A session's row: a projection of its log that every append updates in the same statement. */
export interface Session {
  id: string;
  /** The owner. For other users the session does not exist. */
  userId: string;
  /** The name of the session's agent. */
  agent: string;
  status: SessionStatus;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** `at` of the last event, `createdAt` while there is none. Never goes back. */
  updatedAt: string;
  /** `seq` of the last event; 0 before the first one. */
  lastSeq: number;
  /** Id of the open run, if any. */
  openRun: string | null;
  /** The number of questions that wait for an answer. */
  pending: number;
  /** The context starts after this `seq`. A summary may replace what was before. */
  contextStartSeq: number;
  /** Total tokens of all model calls. */
  usage: Usage;
  /** Total cost in US dollars; 0 if the models have no prices. */
  costUsd: number;
  /**
   * The application's data; its `type` is the session's type. A NUL or half a surrogate pair in its texts is
   * U+FFFD.
   */
  metadata: JsonObject;
}

/** Changes to the session's row beside `lastSeq` and `updatedAt`. Fields named `add…` are added. */
export interface SessionPatch {
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
  openRun?: string | null;
  addPending?: number;
  addUsage?: Usage;
  /** US dollars. The sum is exact to a billionth of a dollar: 0.1 and 0.2 are 0.3. */
  addCostUsd?: number;
  contextStartSeq?: number;
  /** Merged into the metadata, key by key. A NUL or half a surrogate pair is stored as U+FFFD. */
  metadata?: JsonObject;
}

/**
 * Returns a session's status after an append with this patch. `status` is that of the locked row: the caller
 * of the append may have seen an older one. `pending` is the number of pending questions after the append.
 */
export function statusAfter(
  status: SessionStatus,
  { status: wanted, openRun, waitsFor, wakes }: SessionPatch,
  pending: number,
): SessionStatus {
  if (status === "expired") return status;
  if (wanted === undefined) return wakes && status === "suspended" ? "active" : status;
  if (status === "completed" && wanted !== "expired" && typeof openRun !== "string") return status;
  return wanted === "suspended" && waitsFor !== undefined && waitsFor !== pending ? "active" : wanted;
}
