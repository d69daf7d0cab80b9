// The entry `@pawl/core/inspect`: computes timelines, costs and cache hits of a session from its log. Runs in
// Node and in browsers.

// Timelines

export type { TimelineCall } from "./inspect/calls.ts";
export { lasted, type Span } from "./inspect/spending.ts";
export { summaryOf } from "./inspect/summary.ts";
export {
  type TimelineAttempt,
  type TimelineEvent,
  type TimelineRun,
  type TimelineTurn,
  timelineOf,
} from "./inspect/timeline.ts";

// Costs and cache hits

export { hitRateOf, type OtherSpending, type Spending, sumOf } from "./inspect/spending.ts";
export { spendingsOf } from "./inspect/spendings-of.ts";
export { cacheHitRate } from "./model/pricing.ts";

// Requests to the model

export { type Difference, firstDifference } from "./inspect/difference.ts";
export { type LoggedRequest, requestsOf } from "./inspect/requests.ts";

// Events, printed while you develop

export { eventLine, withEventLines } from "./inspect/event-lines.ts";

// The log, and the state that is folded from it

export type { AnswerLimit, Resource } from "./log/budget.ts";
export type { Consent, ConsentPart } from "./log/consent.ts";
export type { DataPart } from "./log/data-part.ts";
export type { ExtensionType } from "./log/event.ts";
export { contextTypes } from "./log/event.ts";
export type {
  CalledBy,
  Checkpoint,
  Closed,
  ClosedBy,
  InputFor,
  NextRun,
  OfCall,
  QuestionPlace,
  RefusedContent,
} from "./log/event-parts.ts";
export { isDataPartName } from "./log/event-parts.ts";
export type { StoredAnswerLimit, StoredBudget } from "./log/stored-budget.ts";
export type { Spent } from "./log/tokens.ts";
export type { Asking, QuestionRecord, RunQuestion } from "./session/asking.ts";
export type { ContextEntry, CountedPrompt, RequestPrefix } from "./session/context-entry.ts";
export type { OpenAttempt } from "./session/open-attempt.ts";
export type { SessionState, TurnState } from "./session/state.ts";
export type { WorkTime } from "./session/work-time.ts";
export type { PlannedCall } from "./stop/room.ts";
export type { TaskAgent } from "./tools/run-agent-types.ts";
export type { Delegate, TaskSource } from "./tools/tool.ts";
