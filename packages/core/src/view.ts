// The entry `@pawl/core/view`: views, cursors and live events, for authors of clients and transports.
export type {
  AnyAgent,
  AskedTypes,
  CallTypes,
  OutputBy,
  OutputOf,
  OutputOfTools,
  QuestionTypesOf,
  ToolsOfRole,
  ToolTypesOf,
  TypesOf,
  TypesOfTools,
  WithRoles,
} from "./agent/agent-types.ts";
export { PawlError, type PawlErrorCode } from "./base/errors.ts";
export type { JsonOf } from "./base/json.ts";
export { waitsForTime } from "./log/expiry.ts";
export type { AwaitedRun } from "./log/handover.ts";
export type { Delta, LiveEvent, LiveEventData, LiveEventType } from "./log/store/live-event.ts";
export { type JsonReader, jsonReader, partialJson } from "./model/partial-json.ts";
export { advanceCursor, type Cursor, formatCursor, type LiveCursor, parseCursor } from "./readers/cursor.ts";
export type { InferInput } from "./schema/schema.ts";
export type { NoAnswer } from "./tools/suspends.ts";
export { foldView, type ViewFold, viewFold } from "./view/fold-view.ts";
export { userMessageId } from "./view/messages.ts";
export { type OutputPart, outputPartOf } from "./view/output.ts";
export { outputIn, outputSoFar } from "./view/output-value.ts";
export { type PageOptions, viewPage } from "./view/page.ts";
export type { ViewPage } from "./view/page-parts.ts";
export { isQuestionPart, type ToolPart } from "./view/question-part.ts";
export { reduceView } from "./view/reduce.ts";
export { runMessageId } from "./view/run-message.ts";
export {
  type Citation,
  newView,
  type ToolPhase,
  type ViewMessage,
  type ViewPart,
  type ViewQuestion,
  type ViewRun,
  type ViewState,
  type ViewUsage,
} from "./view/view.ts";
