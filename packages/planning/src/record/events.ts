import type { JudgedToolDoc } from "../docs/choose-tool-docs.ts";
import type { Choice, Plan, PlanQuestion } from "../plan/plan.ts";

/** The types of the package's events. Clients may see these events. */
export const EVENTS = {
  plan: "planning.plan",
  clarification: "planning.clarification",
  review: "planning.review",
  docs: "planning.docs",
  failed: "planning.failed",
  stopped: "planning.stopped",
} as const;

/**
 * What wrote a plan: the planner's model, the agent by its tool `write_plan`, the reviewer, the results of
 * calls (`progress`), or an answer of the user that the planner's model could not work in (`answer`).
 */
export type PlanAuthor = "planner" | "write_plan" | "reviewer" | "progress" | "answer";

/** The data of `planning.plan`: the whole plan, stored whenever it changes. */
export interface PlanEvent {
  run_id: string;
  by: PlanAuthor;
  plan: Plan;
}

/** The data of `planning.clarification`: an answer to a plan's question. */
export interface ClarificationEvent {
  run_id: string;
  /** Id of the question; absent if the application has answered, because only one choice was possible. */
  call_id?: string;
  question: string;
  about?: string;
  /** The answer in words. Empty if none of the choices is right. */
  answer: string;
  /** The choice, if the user has picked one. */
  choice?: Choice;
}

/**
 * Why a turn was reviewed: the plan was `flagged`, a tool failed too often (`failures`), several calls ran
 * (`batch`), or many since the last review (`every`).
 */
export type ReviewReason = "flagged" | "failures" | "batch" | "every";

/** The data of `planning.review`: what the reviewer has decided after a turn. */
export interface ReviewEvent {
  run_id: string;
  /** `seq` of the turn's `assistant_message`. */
  turn: number;
  reason: ReviewReason;
  /** `ok`, or what the run does next: asks the user, or stops. */
  status: "ok" | "ask" | "stop";
  /** What the reviewer has seen, for the agent's model. */
  notes: string;
  /** The plan after the review; absent if it stays as it is. */
  plan?: Plan;
  /** The question, with the status `ask`. */
  question?: PlanQuestion;
  /** The reason in words for the user, with the status `stop`. */
  stop?: string;
}

/** The data of `planning.docs`: the descriptions of tools that were chosen for a run, for a debug panel. */
export interface DocsEvent {
  run_id: string;
  chosen: JudgedToolDoc[];
  left: JudgedToolDoc[];
  tokens: number;
}

/** A part of the work that failed. The run continues without it. */
export type FailedPart = "plan" | "review" | "facts" | "choices" | "agents" | "retrieve";

/** The data of `planning.failed`. The error itself goes to `onError`: clients may see the log. */
export interface FailedEvent {
  run_id: string;
  part: FailedPart;
  /** A code of `PawlError`, or `failed`. */
  code: string;
  /** For the plan: what it was made from. */
  basis?: string;
}

/** Why planning ends a run: see `StoppedEvent`. */
export type StoppedCode = "blocked" | "clarification_failed" | "stopped_by_review";

/** The data of `planning.stopped`: the structured error with which planning ends a run. */
export interface StoppedEvent {
  run_id: string;
  code: StoppedCode;
  /** The reason in words for the user; also in the run's stop reason, whose type is `blocked`. */
  message: string;
  /** The question without an answer, with `clarification_failed`. */
  question?: PlanQuestion;
}
