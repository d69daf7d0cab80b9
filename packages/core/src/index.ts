// Public names, in the order of the data's way.
export { type Agent, type AgentOptions, agent, defaultLimits, type Limits, type WhenBusy } from "./agent.ts";
export { type Clock, systemClock } from "./clock.ts";
export { dropOldResults } from "./context/drop-old-results.ts";
export type { ResendFields } from "./context/resend.ts";
export { sanitize } from "./context/sanitize.ts";
export type { CheckpointPlan, CheckpointSource, CheckpointStrategy } from "./context/strategy.ts";
export { type SummarizeOptions, summarize } from "./context/summarize.ts";
export type { UserDataSource } from "./context/user-data.ts";
export { causeOf, type ModelFailure, messageOf, PawlError, type PawlErrorCode } from "./errors.ts";
export { type AppendCall, batchText, keysOf, type PreparedEvent } from "./events/append-call.ts";
export { appendInSql, type SqlLog } from "./events/append-in-sql.ts";
export type { Awaited } from "./events/awaited.ts";
export { type BlobStore, memoryBlobs } from "./events/blob-store.ts";
export { type BlobOptions, withBlobs } from "./events/blobs.ts";
export { contextTypes } from "./events/context-types.ts";
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
} from "./events/event.ts";
export type {
  AppendOptions,
  EventStore,
  Lease,
  ListSessions,
  NewSession,
  ReadOptions,
  RecoverableOptions,
} from "./events/event-store.ts";
export type { AgentAtWork, Delta, LiveEvent, LiveEventData, LiveEventType } from "./events/live-event.ts";
export { type LivePart, type LiveState, type LiveTail, localTail } from "./events/live-tail.ts";
export { memoryStore } from "./events/memory-store.ts";
export { formatPlace, type LivePlace, type Place, parsePlace, placeAfter } from "./events/place.ts";
export { type EventPage, readPages } from "./events/read-pages.ts";
export { REDACTED, readShown } from "./events/redacted.ts";
export { noSession, type Refused } from "./events/refused.ts";
export type { Session, SessionPatch, SessionStatus } from "./events/session-row.ts";
export { checkBatch, checkNames, checkText, isName, jsonbText, jsonText } from "./events/storable.ts";
export { tryUntilApplied } from "./events/try-until-applied.ts";
export type { Upcasters } from "./events/upcast.ts";
export { watchedStore } from "./events/watched-store.ts";
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
export { canonicalJson, type Json, type JsonObject, toJson } from "./json.ts";
export { answering } from "./model/answering.ts";
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
export { withFallback } from "./model/fallback.ts";
export { isPassing, type ResponseHeaders, retryAfterMs } from "./model/http-failure.ts";
export { type IdleWatchdogOptions, withIdleWatchdog } from "./model/idle-watchdog.ts";
export { longestAnswer, writtenLength } from "./model/longest-answer.ts";
export type {
  AttemptFailed,
  ContentDelta,
  MessageDelta,
  MessageStart,
  ModelClient,
  ModelEvent,
  ModelRequest,
  RawUsage,
  StreamOptions,
  ToolChoice,
} from "./model/model-client.ts";
export type { Sleep } from "./model/pause.ts";
export {
  addUsage,
  cacheHitRate,
  checkPricing,
  costMicroUsd,
  noUsage,
  type Pricing,
  promptTokens,
  type Usage,
} from "./model/pricing.ts";
export { type RetryOptions, withRetry } from "./model/retry.ts";
export { safeRequestId, secretsIn, withoutSecrets } from "./model/secrets.ts";
export { oneByOne } from "./one-by-one.ts";
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
export type { Action, EventOf, Run, RunResult, RunStart, SessionEvent } from "./run-handle.ts";
export { runtime } from "./runtime.ts";
export type {
  Answer,
  Knowledge,
  RetryRunOptions,
  RunOptions,
  Runtime,
  RuntimeOptions,
  SessionView,
} from "./runtime-types.ts";
export type {
  CallState,
  ContextEntry,
  Question,
  RunState,
  SessionState,
  TurnState,
} from "./session/state.ts";
export { usageFromWire } from "./session/tokens.ts";
export type { Budget, Resource } from "./stop/budget.ts";
export { circuitBreaker } from "./stop/circuit-breaker.ts";
export type { PlannedCall } from "./stop/room.ts";
export { firstStop, type StopCondition } from "./stop/stop-condition.ts";
export { canBeRetried, isFailed, type StopReason, type StopType } from "./stop/stop-reason.ts";
export { type AgentToolOptions, agentTool, type Delegate } from "./sub-agents/agent-tool.ts";
export { type Artifact, type ArtifactDraft, artifactIn } from "./tools/artifact.ts";
export {
  type Infer,
  jsonSchema,
  type Schema,
  type Validated,
  validate,
} from "./tools/schema.ts";
export { toJsonSchema } from "./tools/to-json-schema.ts";
export { type Suspends, type Tool, type ToolContext, type ToolOptions, tool } from "./tools/tool.ts";
export { reduceView } from "./view/reduce.ts";
export { runMessageId } from "./view/run-message.ts";
export type { Suspension, ToolPhase, ViewMessage, ViewPart, ViewRun } from "./view/view.ts";
export { newView, type ViewState } from "./view/view.ts";
export { withoutKeys } from "./without-keys.ts";
