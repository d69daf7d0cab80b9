// Public names, in the order of the data's way.
export { type Agent, type AgentOptions, defaultLimits, type Limits, type WhenBusy } from "./agent/agent.ts";
export { type AgentToolOptions, agentTool } from "./agent/agent-tool.ts";
export { agent } from "./agent/define-agent.ts";
export { type Clock, systemClock } from "./base/clock.ts";
export { causeOf, type ModelFailure, messageOf, PawlError, type PawlErrorCode } from "./base/errors.ts";
export { canonicalJson, type Json, type JsonObject, toJson } from "./base/json.ts";
export { oneByOne } from "./base/one-by-one.ts";
export type { Sleep } from "./base/pause.ts";
export { withoutKeys } from "./base/without-keys.ts";
export { dropOldResults } from "./context/drop-old-results.ts";
export type { ResendFields } from "./context/resend.ts";
export { sanitize } from "./context/sanitize.ts";
export type { CheckpointPlan, CheckpointSource, CheckpointStrategy } from "./context/strategy.ts";
export { type SummarizeOptions, summarize } from "./context/summarize.ts";
export type { UserDataSource } from "./context/user-data.ts";
export { contentTypeOf } from "./files/content-type.ts";
export { pathOfStored, storedFolder, storedPath } from "./files/file-path.ts";
export { bytesOf, type FileInfo, type FileStore, readText, type StoredFile } from "./files/file-store.ts";
export { memoryFiles } from "./files/memory-files.ts";
export { type ApprovalAnswer, type ApprovalOptions, approval } from "./hooks/approval.ts";
export type {
  AppendableEvent,
  Hook,
  HookContext,
  ModelAnswer,
  OutcomeChange,
  PlannedRequest,
  PlannedToolCall,
  RunContext,
  ToolChange,
  ToolOutcome,
  TurnChange,
  TurnPlan,
} from "./hooks/hook.ts";
export { type PermissionOptions, permissions } from "./hooks/permissions.ts";
export { type ReservationOptions, reservation } from "./hooks/reservation.ts";
export type { Budget, Resource } from "./log/budget.ts";
export { contextTypes } from "./log/context-types.ts";
export {
  EVENT_VERSION,
  type EventData,
  type EventType,
  type ExtensionType,
  type NewEvent,
  type NextRun,
  type StoredEvent,
  type StoredOf,
  type TokenUsage,
} from "./log/event.ts";
export type {
  AppendOptions,
  EventStore,
  Lease,
  ListSessions,
  NewSession,
  ReadOptions,
  RecoverableOptions,
} from "./log/event-store.ts";
export type { Awaited } from "./log/handover.ts";
export type {
  AgentAtWork,
  Delta,
  EventOf,
  LiveEvent,
  LiveEventData,
  LiveEventType,
  SessionEvent,
} from "./log/live-event.ts";
export type { LiveState, LiveTail } from "./log/live-tail.ts";
export { REDACTED, readShown } from "./log/redacted.ts";
export type { Session, SessionPatch, SessionStatus } from "./log/session-row.ts";
export { canBeRetried, isFailed, type StopReason, type StopType } from "./log/stop-reason.ts";
export { checkBatch, checkNames, checkText, isName, jsonbText, jsonText } from "./log/storable.ts";
export { answering } from "./model/answering.ts";
export { type AskOptions, type AskOutcome, askModel } from "./model/ask-model.ts";
export { type CircuitBreakerOptions, withCircuitBreaker } from "./model/circuit-breaker.ts";
export type {
  ContentBlock,
  Message,
  TextBlock,
  ToolResultBlock,
  ToolSpec,
  ToolUseBlock,
} from "./model/content.ts";
export { isText, isThinking, isToolUse, textOf } from "./model/content.ts";
export { longestAnswer, writtenLength } from "./model/estimate.ts";
export { withFallback } from "./model/fallback.ts";
export { isPassing, type ResponseHeaders, retryAfterMs } from "./model/http-failure.ts";
export { type IdleWatchdogOptions, withIdleWatchdog } from "./model/idle-watchdog.ts";
export type { LivePart } from "./model/live-part.ts";
export type {
  AttemptFailed,
  ContentDelta,
  MessageDelta,
  MessageStart,
  ModelClient,
  ModelEvent,
  ModelRequest,
  StreamOptions,
  ToolChoice,
} from "./model/model-client.ts";
export type { RawUsage } from "./model/pricing.ts";
export {
  addUsage,
  cacheHitRate,
  checkPricing,
  costMicroUsd,
  noUsage,
  type Pricing,
  promptTokens,
  type Usage,
  usageFromWire,
} from "./model/pricing.ts";
export { type RetryOptions, withRetry } from "./model/retry.ts";
export { safeRequestId, secretsIn, withoutSecrets } from "./model/secrets.ts";
export { formatPlace, type LivePlace, type Place, parsePlace, placeAfter } from "./readers/cursor.ts";
export { localTail } from "./readers/local-tail.ts";
export { memoryReservations } from "./reservations/memory-reservations.ts";
export {
  type Balance,
  checkRequest,
  checkUse,
  notReservable,
  RESERVATION_TTL_MS,
  type Reservation,
  type ReservationAnswer,
  type ReservationRequest,
  type Reservations,
} from "./reservations/reservations.ts";
export type {
  Answer,
  Knowledge,
  RetryRunOptions,
  RunOptions,
  Runtime,
  RuntimeOptions,
  SessionView,
} from "./runtime/begin/runtime-types.ts";
export type { Run, RunStart } from "./runtime/leg/run-handle.ts";
export { runtime } from "./runtime/runtime.ts";
export type { ContextEntry } from "./session/context-entry.ts";
export type { Action, RunResult, Suspension } from "./session/run-result.ts";
export type { CallState, Question, RunState, SessionState, TurnState } from "./session/state.ts";
export { circuitBreaker } from "./stop/circuit-breaker.ts";
export type { PlannedCall } from "./stop/room.ts";
export { firstStop, type StopCondition } from "./stop/stop-condition.ts";
export { type AppendCall, batchText, keysOf, type PreparedEvent } from "./stores/append-call.ts";
export { appendInSql, type SqlLog } from "./stores/append-in-sql.ts";
export { type BlobStore, memoryBlobs } from "./stores/blob-store.ts";
export { memoryStore } from "./stores/memory-store.ts";
export { type EventPage, readPages } from "./stores/read-pages.ts";
export { noSession, type Refused } from "./stores/refusal.ts";
export { tryUntilApplied } from "./stores/retry-undone.ts";
export type { Upcasters } from "./stores/upcast.ts";
export { watchedStore } from "./stores/watched-store.ts";
export { type BlobOptions, withBlobs } from "./stores/with-blobs.ts";
export { type Artifact, type ArtifactDraft, artifactIn } from "./tools/artifact.ts";
export { type Infer, jsonSchema, type Schema, type Validated, validate } from "./tools/schema.ts";
export { toJsonSchema } from "./tools/to-json-schema.ts";
export type { Delegate } from "./tools/tool.ts";
export { type Suspends, type Tool, type ToolContext, type ToolOptions, tool } from "./tools/tool.ts";
export { reduceView } from "./view/reduce.ts";
export { runMessageId } from "./view/run-message.ts";
export type { ToolPhase, ViewMessage, ViewPart, ViewRun } from "./view/view.ts";
export { newView, type ViewState } from "./view/view.ts";
