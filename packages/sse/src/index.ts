export type { CorsOptions } from "./cors.ts";
export { agUi } from "./dialects/ag-ui.ts";
export { type AiSdkOptions, aiSdk } from "./dialects/ai-sdk.ts";
export type {
  Begin,
  Dialect,
  DialectRequest,
  Encoder,
  EncoderContext,
  RequestLimits,
} from "./dialects/dialect.ts";
export type { ApprovalRecord, MessageSpending, ThreadFacts } from "./dialects/facts.ts";
export { native } from "./dialects/native.ts";
export type { Asking, Extra, ExtraFields } from "./extra-fields.ts";
export { type Authorized, type HandlerOptions, handler } from "./handler.ts";
export type { Expose } from "./public-event.ts";
export { type RateLimiter, withinRate } from "./rate-limit.ts";
export type { EarlierMessage } from "./read-thread.ts";
export { refuseNul } from "./refuse-nul.ts";
export type { RunRequest } from "./run-request.ts";
export { responseTo, type WireError, type WireErrorCode } from "./wire-error.ts";
