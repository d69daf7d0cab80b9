import type { JsonObject } from "../json.ts";
import type { Usage } from "../model/pricing.ts";

/**
 * `suspended` waits for its user; `completed` and `error` can be continued by id; `expired` cannot. What an append asks for
 * holds with two exceptions: `expired` stays, and `completed` does until another run begins or the session expires.
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
  costCents: number;
  metadata: JsonObject;
}

/** What an append changes in the row beside `lastSeq` and `updatedAt`. Numbers named `add…` are added. */
export interface SessionPatch {
  status?: SessionStatus;
  openRun?: string | null;
  addPending?: number;
  addUsage?: Usage;
  addCostCents?: number;
  contextStartSeq?: number;
  /** Merged into the metadata, key by key. */
  metadata?: JsonObject;
}

/** The status after an append, by the one that the row has at that moment: whoever appends has seen an earlier one. */
export function statusAfter(
  status: SessionStatus,
  { status: wanted = status, openRun }: SessionPatch,
): SessionStatus {
  if (status === "expired") return status;
  const stays = status === "completed" && wanted !== "expired" && typeof openRun !== "string";
  return stays ? status : wanted;
}
