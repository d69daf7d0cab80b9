import type { StoredEvent } from "@pawl/core";
import type { JudgedToolDoc } from "../docs/choose-tool-docs.ts";
import type { Choice, Plan, PlanQuestion } from "../plan/plan.ts";

/**
 * The payloads of the events that planning stores, by type. Clients may see these events. `run_id` is the id
 * of their run.
 */
export interface PlanningEvents {
  /**
   * The plan was written or has changed. `plan` is the whole plan. `by` is its author:
   *
   * - `planner`: the planner's model
   * - `write_plan`: the agent's own model, with the tool `write_plan`
   * - `reviewer`: the reviewer's model
   * - `progress`: the results of calls, which mark tasks as done or blocked
   * - `answer`: an answer of the user, after which the planner's model failed
   */
  "planning.plan": {
    run_id: string;
    by: "planner" | "write_plan" | "reviewer" | "progress" | "answer";
    plan: Plan;
  };
  /**
   * A plan's question was answered. `call_id` is the id of the question; absent if the user was not asked,
   * because there was only one choice. `answer` is the answer in words; empty if the user has chosen none of
   * the choices. `choice` is the chosen one.
   */
  "planning.clarification": {
    run_id: string;
    call_id?: string;
    question: string;
    about?: string;
    answer: string;
    choice?: Choice;
  };
  /**
   * A turn was reviewed. `turn` is the `seq` of its `assistant_message`.
   *
   * - `reason`: the plan asked for a review (`flagged`), a tool failed too often (`failures`), the turn had
   *   several calls (`batch`), or there were many calls since the last review (`every`).
   * - `status`: `ok`, or what the run does next: `ask` the user, or `stop`.
   * - `notes`: the reviewer's notes for the agent's model.
   * - `plan`: the plan after the review; absent if it stays as it is.
   * - `question`: with the status `ask`. `stop`: the reason in words for the user, with the status `stop`.
   */
  "planning.review": {
    run_id: string;
    turn: number;
    reason: "flagged" | "failures" | "batch" | "every";
    status: "ok" | "ask" | "stop";
    notes: string;
    plan?: Plan;
    question?: PlanQuestion;
    stop?: string;
  };
  /** Descriptions of tools were chosen for a run. `left` are the others. `tokens` counts the chosen ones. */
  "planning.docs": { run_id: string; chosen: JudgedToolDoc[]; left: JudgedToolDoc[]; tokens: number };
  /**
   * A part of the planning failed, and the run continues without it. `code` is a code of `PawlError`, or
   * `failed`. The error itself goes to `onError`, because clients may see the log. `basis` identifies what
   * the part worked on, e.g. a turn.
   */
  "planning.failed": {
    run_id: string;
    part: "plan" | "review" | "facts" | "choices" | "agents" | "retrieve";
    code: string;
    basis?: string;
  };
  /**
   * Planning ends the run: the structured error. `message` is the reason in words for the user. The run's
   * stop reason has the type `blocked` and the same message. With `clarification_failed`, `question` is the
   * open question.
   */
  "planning.stopped": {
    run_id: string;
    code: "blocked" | "clarification_failed" | "stopped_by_review";
    message: string;
    question?: PlanQuestion;
  };
}

/** The types of the events. */
export const EVENTS = {
  plan: "planning.plan",
  clarification: "planning.clarification",
  review: "planning.review",
  docs: "planning.docs",
  failed: "planning.failed",
  stopped: "planning.stopped",
} as const;

/** The types of the events from which a record is made. */
export const RECORD_EVENTS: readonly StoredEvent["type"][] = [
  "run_started",
  "run_ended",
  "user_message",
  "prefix",
  "llm_request",
  "checkpoint",
  "tool_call",
  "tool_started",
  "tool_result",
  "note",
  "knowledge",
  "redaction",
  ...Object.values(EVENTS),
];

export type PlanEvent = PlanningEvents["planning.plan"];
export type ClarificationEvent = PlanningEvents["planning.clarification"];
export type ReviewEvent = PlanningEvents["planning.review"];
export type DocsEvent = PlanningEvents["planning.docs"];
export type FailedEvent = PlanningEvents["planning.failed"];
export type StoppedEvent = PlanningEvents["planning.stopped"];
