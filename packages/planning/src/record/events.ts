import type { JudgedToolDoc } from "../docs/choose-tool-docs.ts";
import type { Choice, Plan, PlanQuestion } from "../plan/plan.ts";

/**
 * The payloads of the events that planning stores, by type. Clients may see these events. `run_id` is the run
 * that they belong to.
 */
export interface PlanningEvents {
  /**
   * The plan was written or has changed. `plan` is all of it. `by` is what wrote it: the planner's model, the
   * agent by its tool `write_plan`, the reviewer, the results of calls (`progress`), or an answer of the user
   * that the planner's model could not work in (`answer`).
   */
  "planning.plan": {
    run_id: string;
    by: "planner" | "write_plan" | "reviewer" | "progress" | "answer";
    plan: Plan;
  };
  /**
   * A plan's question was answered. `call_id` is the id of the question; absent if the application has
   * answered, because only one choice was possible. `answer` is the answer in words, empty if none of the
   * choices is right. `choice` is the one that the user has picked.
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
   * - `reason`: the plan was `flagged`, a tool failed too often (`failures`), several calls ran (`batch`), or
   *   many since the last review (`every`).
   * - `status`: `ok`, or what the run does next: it asks the user, or stops.
   * - `notes`: what the reviewer has seen, for the agent's model.
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
  /** Descriptions of tools were chosen for a run. `left` are the others, `tokens` those of the chosen. */
  "planning.docs": { run_id: string; chosen: JudgedToolDoc[]; left: JudgedToolDoc[]; tokens: number };
  /**
   * A part of the planning failed, and the run continues without it. `code` is a code of `PawlError`, or
   * `failed`. The error itself goes to `onError`, because clients may see the log. `basis` names what the
   * part worked on.
   */
  "planning.failed": {
    run_id: string;
    part: "plan" | "review" | "facts" | "choices" | "agents" | "retrieve";
    code: string;
    basis?: string;
  };
  /**
   * Planning ends the run: the structured error. `message` is the reason in words for the user, and also in
   * the run's stop reason, whose type is `blocked`. `question` is the one without an answer, with
   * `clarification_failed`.
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

export type PlanEvent = PlanningEvents["planning.plan"];
export type ClarificationEvent = PlanningEvents["planning.clarification"];
export type ReviewEvent = PlanningEvents["planning.review"];
export type DocsEvent = PlanningEvents["planning.docs"];
export type FailedEvent = PlanningEvents["planning.failed"];
export type StoppedEvent = PlanningEvents["planning.stopped"];
