// The entry `@pawl/planning`: plans, questions, reviews, and the record of a run.

// Planning, as a hook and tools

export type {
  DocsOptions,
  FallbackOptions,
  PlanningOptions,
  PlanningSource,
  ReviewOptions,
} from "./hooks/options.ts";
export { type Planning, planning } from "./hooks/planning.ts";
export type { AgentsSource, CustomAgent, ListAgents } from "./tools/custom-agent.ts";

// Plans

export { checkPlan, type PlanBounds, type PlanCheck } from "./plan/check-plan.ts";
export {
  type Choice,
  type Plan,
  type PlanProgress,
  type PlanQuestion,
  planProgress,
  readyTasks,
  type Task,
} from "./plan/plan.ts";

// The record of a run, from its events

export type {
  ClarificationEvent,
  DocsEvent,
  FailedEvent,
  FailedPart,
  PlanAuthor,
  PlanEvent,
  ReviewEvent,
  ReviewReason,
  StoppedCode,
  StoppedEvent,
} from "./record/events.ts";
export { recordOf, withEvent } from "./record/fold.ts";
export {
  type Clarification,
  type FailedTool,
  newRecord,
  type RecordNote,
  type RunRecord,
  type ToolExecution,
} from "./record/record.ts";
export { type RecordTexts, recordTexts } from "./record/texts.ts";

// Descriptions of tools, in one Markdown file

export { checkToolDocs } from "./docs/check-tool-docs.ts";
export {
  type ChooseToolDocsOptions,
  type ChosenToolDocs,
  chooseToolDocs,
  type JudgedToolDoc,
} from "./docs/choose-tool-docs.ts";
export { parseToolDocs, type ToolDoc, type ToolDocParameter } from "./docs/tool-doc.ts";
