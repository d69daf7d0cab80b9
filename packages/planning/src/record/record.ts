import type { Json, JsonObject, StopReason } from "@pawl/core";
import type { Plan } from "../plan/plan.ts";
import type { PlanningEvents } from "./events.ts";

/** A tool call of a run. */
export interface ToolExecution {
  callId: string;
  tool: string;
  /** The connector that the tool has reported, e.g. `gmail`; `null` if it has reported none. */
  connector: string | null;
  /** The sub-agent that did the work, or the agent of the run. */
  agent: string;
  arguments: Json;
  /** ISO 8601, UTC. */
  startedAt: string;
  /** In milliseconds; `null` until the call has its result, or if it did not run. */
  durationMs: number | null;
  /** In US dollars; 0 if the tool has reported nothing. */
  costUsd: number;
  /** The outcome in a few words, at most 200 characters. */
  summary: string;
  /** The ids of what was found, as the tool has reported them. */
  fragments: string[];
  /** `running` until the call has its result. `skipped` calls were answered without running. */
  status: "running" | "success" | "error" | "skipped";
  /** With the status `error`. `code` is absent if the tool has thrown an error without one. */
  error?: { code?: string; message: string };
  /** Why the call was skipped, e.g. `duplicate`. */
  skipped?: string;
  /** `seq` of the result; 0 before. */
  seq: number;
}

/** An answer to a question of a plan. */
export interface Clarification extends Omit<PlanningEvents["planning.clarification"], "run_id"> {
  /** `answered` until a plan is made with the answer. `unclear`: that plan had a question again. */
  status: "answered" | "resolved" | "unclear";
  /** `seq` of the event. */
  seq: number;
}

/**
 * What is known of a run, folded from the session's events alone. At each request to the model, it equals
 * what the prompt said.
 */
export interface RunRecord {
  sessionId: string;
  runId: string;
  /** `seq` of the run's `run_started`; 0 before the first run. */
  seq: number;
  agent: string;
  /** What the application says about the user, see `RunOptions.caller`. */
  caller: JsonObject;
  /** The user's messages that the run answers, as the user wrote them. */
  messages: { text: string; at: string; seq: number }[];
  /** The agent's tools, as the model has them. */
  tools: { name: string; description: string }[];
  plan: Plan | undefined;
  /** Who wrote the plan, `seq` of its event, and the number of plans so far. */
  planned: { by: PlanningEvents["planning.plan"]["by"]; seq: number; count: number } | undefined;
  /** Answers to questions of the run's plans. */
  clarifications: Clarification[];
  /** Resolved clarifications of the session's earlier runs. */
  earlierClarifications: Clarification[];
  /** How many questions in a row did not make the request clear. */
  strikes: number;
  /** Whether there is a plan without an open question. */
  ambiguityResolved: boolean;
  calls: ToolExecution[];
  /** Tools whose last calls have failed: how often in a row, and the last error. */
  failedTools: { tool: string; count: number; lastError: string }[];
  /** The ids of everything that the run's calls have found. */
  fragments: string[];
  /** The reviews, with the `seq` of their events. */
  reviews: (Omit<PlanningEvents["planning.review"], "run_id"> & { seq: number })[];
  /** The choice of tool descriptions. */
  docs: Omit<PlanningEvents["planning.docs"], "run_id"> | undefined;
  /** The data that `fallback.retrieve` returned at a limit. */
  retrieved: string | undefined;
  /** Parts of the planning that have failed. */
  failures: Omit<PlanningEvents["planning.failed"], "run_id">[];
  /** The structured error with which planning has ended the run. */
  stopped: Omit<PlanningEvents["planning.stopped"], "run_id"> | undefined;
  /** Why the run has ended. */
  stop: StopReason | undefined;
  /**
   * The notes of planning that the model can read: those of this run, the last plan of an earlier run, and
   * descriptions of tools.
   */
  notes: { tag: string; text: string; seq: number }[];
  /** `seq` of the events of `docs`, `retrieved` and `stopped`. */
  seqs: { docs?: number; retrieved?: number; stopped?: number };
  /** The last event that a request to the model has covered. */
  coveredSeq: number;
  /** The last event of the record. */
  lastSeq: number;
}

/**
 * Returns the record of a session without events.
 *
 * @example
 * ```ts
 * import { newRecord, withEvent } from "@pawl/planning";
 *
 * // In a page: fold each event as it arrives.
 * let record = newRecord("s1");
 * const data = { run_id: "r1", agent: "search", agent_version: "1" };
 * const at = "2026-11-23T09:00:00.000Z";
 * record = withEvent(record, { sessionId: "s1", seq: 1, v: 1, at, type: "run_started", data });
 * console.log(record.runId, record.plan); // r1 undefined
 * ```
 */
export function newRecord(sessionId: string): RunRecord {
  return {
    ...{ sessionId, runId: "", seq: 0, agent: "", caller: {}, messages: [], tools: [] },
    ...{ plan: undefined, planned: undefined, clarifications: [], earlierClarifications: [], strikes: 0 },
    ...{ ambiguityResolved: false, calls: [], failedTools: [], fragments: [], reviews: [], docs: undefined },
    ...{ retrieved: undefined, failures: [], stopped: undefined, stop: undefined, notes: [] },
    ...{ seqs: {}, coveredSeq: 0, lastSeq: 0 },
  };
}
