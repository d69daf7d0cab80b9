// The entry `@pawl/planning`: plans, questions, reviews, and the record of a run.

// Planning, as a hook and tools

export type { LimitSource, PlanningOptions, PlanningSource } from "./hooks/options.ts";
export { type Planning, planning } from "./hooks/planning.ts";
export type { AgentsSource, CustomAgent } from "./tools/custom-agent.ts";

// Plans

export { checkPlan, type PlanBounds, type PlanCheck } from "./plan/check-plan.ts";
export {
  type Choice,
  type Plan,
  type PlanQuestion,
  planProgress,
  readyTasks,
  type Task,
} from "./plan/plan.ts";

// The record of a run, from its events

export type { PlanningEvents } from "./record/events.ts";
export { recordOf, withEvent } from "./record/fold.ts";
export { type Clarification, newRecord, type RunRecord, type ToolExecution } from "./record/record.ts";
export { recordTexts } from "./record/texts.ts";

// Descriptions of tools, in one Markdown file

export { checkToolDocs } from "./docs/check-tool-docs.ts";
export { type ChosenToolDocs, chooseToolDocs, type JudgedToolDoc } from "./docs/choose-tool-docs.ts";
export { parseToolDocs, type ToolDoc } from "./docs/tool-doc.ts";
