// The entry `@pawl/core/tools`. It is for programs that call tools outside of a run, e.g. to serve them over
// HTTP, and for packages that define hooks, or make tools from definitions of other systems.

// Calling tools outside of a run

export { isOutcomeUnknown, outcomeUnknown } from "./session/close-calls.ts";
export { callTool } from "./tools/call-tool.ts";
export type { CallSettings, CallToolOptions, ToolCallOutcome } from "./tools/call-tool-types.ts";

// Roles of agents

export type { AgentRole } from "./agent/agent.ts";

// Questions that expire, and waits

export type { QuestionExpiry } from "./log/expiry.ts";
export type { Expiry, Moment } from "./tools/expiry.ts";
export type { RunAgent, RunAgentOptions, RunnableAgent, TaskResult } from "./tools/run-agent-types.ts";
export type { AnswerSchema } from "./tools/suspends.ts";

// Checks and time limits, for functions of the application that a hook or a tool calls

export { checkNumbers, type NumberBounds } from "./base/check-numbers.ts";
export { kindOf } from "./base/check-options.ts";
export { isLogFailure } from "./base/errors.ts";
export type { Instead } from "./base/hints.ts";
export { reporter } from "./base/reporter.ts";
export { type TimeLimit, TimeUp, timeLimit, within } from "./base/within.ts";
export { isOwnTag } from "./context/sanitize.ts";

// What hooks judge and change while the model answers

export type { AnswerChange, AnswerPart, RunStop, UserMessage } from "./hooks/turn-plan.ts";

// Data from outside

export { clipText, cutText } from "./base/clip-text.ts";
export { excessOf, type JsonBounds } from "./base/excess.ts";
export { withoutHidden } from "./base/hidden-text.ts";
export { hideTextsOf } from "./base/hide-texts.ts";
export type { JsonInput, JsonObjectInput } from "./base/json.ts";
export { isDeeperThan } from "./base/json-depth.ts";
export { unmetCondition } from "./base/preconditions.ts";
export { readCapped } from "./base/read-capped.ts";
export { type EmittedPart, hiddenBy } from "./log/event-parts.ts";
export { isRegularExpression } from "./schema/is-regular-expression.ts";
export { plainJsonSchema } from "./schema/plain-json-schema.ts";
export { listedProblems } from "./schema/problems.ts";
export { untrustedSchema } from "./schema/untrusted-schema.ts";
export { withoutHiddenIn } from "./schema/visible-texts.ts";
export type { ToolSource } from "./tools/tool-source.ts";
