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

/** A session's row: a projection of its log, kept up in the same statement as each append. */
export interface Session {
  id: string;
  /** The owner. For anybody else the session does not exist. */
  userId: string;
  /** Name of the agent that the session belongs to. */
  agent: string;
  status: SessionStatus;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** `at` of the last event, `createdAt` while there is none. Never goes back. */
  updatedAt: string;
  /** `seq` of the last event, 0 while there is none. */
  lastSeq: number;
  /** The open run, if one is. */
  openRun: string | null;
  /** How many questions wait for an answer. */
  pending: number;
  /** Context starts after this `seq`; a summary may stand for what was before. */
  contextStartSeq: number;
  /** Totals over all answers of the model. */
  usage: Usage;
  /** US dollars; 0 if the models have no prices. */
  costUsd: number;
  /** A NUL or half a surrogate pair in its texts is U+FFFD. */
  metadata: JsonObject;
}

/** What an append changes in the row beside `lastSeq` and `updatedAt`. Numbers named `add…` are added. */
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
