// The entry `@pawl/core`: what applications use to build and run agents. Authors of stores and live tails use
// `./store.ts`, authors of model clients `./model.ts`, and authors of clients and transports `./view.ts`.

// Agents, and running them

export {
  type Agent,
  type AgentOptions,
  defaultLimits,
  type WhenBusy,
} from "./agent/agent.ts";
export { type AgentToolOptions, agentTool } from "./agent/agent-tool.ts";
export { agent } from "./agent/define-agent.ts";
export type { Budget, Limits } from "./log/budget.ts";
export type { Answer, Knowledge, RetryRunOptions, RunOptions } from "./runtime/begin/run-options.ts";
export type { Runtime, RuntimeOptions, RuntimeSettings, SessionView } from "./runtime/begin/runtime-types.ts";
export type { Run, RunStart } from "./runtime/leg/run-handle.ts";
export { runtime } from "./runtime/runtime.ts";
export type { Action, Question, RunResult } from "./session/run-result.ts";

// Tools

export type { ShortenInput } from "./log/event-parts.ts";
export { jsonSchema } from "./schema/json-schema.ts";
export { type Infer, type Schema, type Validated, validate } from "./schema/schema.ts";
export { toJsonSchema } from "./schema/to-json-schema.ts";
export type { Artifact, ArtifactDraft } from "./tools/artifact.ts";
export { artifactIn } from "./tools/artifact-in.ts";
export { tool } from "./tools/define-tool.ts";
export type { Suspends } from "./tools/suspends.ts";
export type { Tool, ToolContext } from "./tools/tool.ts";
export type { ToolOptions } from "./tools/tool-options.ts";

// Models, and policies around them

export { askModel } from "./ask/ask-model.ts";
export { answering } from "./model/answering.ts";
export { type CircuitBreakerOptions, withCircuitBreaker } from "./model/clients/circuit-breaker.ts";
export { withFallback } from "./model/clients/fallback.ts";
export { type IdleWatchdogOptions, withIdleWatchdog } from "./model/clients/idle-watchdog.ts";
export { type ResilientOptions, resilient } from "./model/clients/resilient.ts";
export { type RetryOptions, withRetry } from "./model/clients/retry.ts";
export { deciding } from "./model/deciding.ts";
export type { ModelClient, ModelRequest, ToolChoice } from "./model/model-client.ts";
export type { AskOptions, AskOutcome } from "./tools/ask-types.ts";

// What models read and write

export {
  type ContentBlock,
  type ContentBlockParam,
  isText,
  isThinking,
  isToolUse,
  type Message,
  type ToolSpec,
  textOf,
} from "./model/content.ts";

// Prices and usage

export { checkPricing, costUsd, type Pricing, promptTokens, type Usage } from "./model/pricing.ts";

// Hooks

export { type ApprovalAnswer, type ApprovalOptions, approval } from "./hooks/approval.ts";
export { type GuardrailOptions, guardrail } from "./hooks/guardrail.ts";
export type { Awaitable, Hook, HookContext, RunContext } from "./hooks/hook.ts";
export { type PermissionOptions, permissions } from "./hooks/permissions.ts";
export { type ReservationOptions, reservation } from "./hooks/reservation.ts";
export type { Ask, OutcomeChange, PlannedToolCall, ToolChange, ToolOutcome } from "./hooks/tool-change.ts";
export type { ModelReply, PlannedRequest, TurnChange, TurnPlan } from "./hooks/turn-plan.ts";
export type { AppendableEvent } from "./log/event.ts";

// Limits, and why a run stops

export { canBeRetried, isFailed, type StopReason, type StopType } from "./log/stop-reason.ts";
export type { StopCondition } from "./stop/stop-condition.ts";
export { stopOnFailedTurns } from "./stop/stop-on-failed-turns.ts";

// The context: what the model reads of a session

export { dropOldResults } from "./context/drop-old-results.ts";
export { sanitize } from "./context/sanitize.ts";
export type { CheckpointPlan, CheckpointSource, CheckpointStrategy } from "./context/strategy.ts";
export { type SummarizeOptions, summarize } from "./context/summarize.ts";
export type { UserDataSource } from "./context/user-data.ts";

// The log: events, and the state that is folded from them

export type { EventType, StoredEvent, StoredOf } from "./log/event.ts";
export type { EventData } from "./log/event-data.ts";
export type { SkipReason } from "./log/event-parts.ts";
export type { Session, SessionStatus } from "./log/session-row.ts";
export type { EventStore } from "./log/store/event-store.ts";
export type { EventOf, SessionEvent } from "./log/store/live-event.ts";
export { REDACTED, readShown } from "./log/store/redacted.ts";
export type { TokenUsage } from "./log/tokens.ts";
export type { CallState, RunState } from "./session/state.ts";

// Stores

export { memoryBlobs } from "./stores/blob-store.ts";
export { memoryStore } from "./stores/memory-store.ts";
export type { Upcasters } from "./stores/upcast.ts";
export { withBlobs } from "./stores/with-blobs.ts";

// Budgets that several runs share

export { memoryReservations } from "./reservations/memory-reservations.ts";

// Files

export { type FileStore, readText } from "./files/file-store.ts";
export { memoryFiles } from "./files/memory-files.ts";

// Errors, JSON, clock

export { checkOptions, type OptionErrors, type OptionKind, type OptionKinds } from "./base/check-options.ts";
export { type Clock, systemClock } from "./base/clock.ts";
export { type ModelFailure, messageOf, PawlError, type PawlErrorCode } from "./base/errors.ts";
export { canonicalJson, type Json, type JsonObject, toJson } from "./base/json.ts";
export { centsFromUsd, usdFromCents } from "./base/usd.ts";
