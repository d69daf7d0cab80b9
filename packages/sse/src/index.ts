export type { CorsOptions } from "./cors.ts";
export { agUi } from "./dialects/ag-ui.ts";
export { type AiSdkOptions, aiSdk } from "./dialects/ai-sdk.ts";
export { type AspOptions, asp } from "./dialects/asp.ts";
export { type CoachOptions, coach } from "./dialects/coach.ts";
export type {
  Begin,
  Dialect,
  DialectRequest,
  Encoder,
  EncoderContext,
  RequestLimits,
} from "./dialects/dialect.ts";
export { type MetricsOptions, metrics } from "./dialects/metrics.ts";
export { native } from "./dialects/native.ts";
export type { TextMode } from "./dialects/plain-encoder.ts";
export { type TrainerOptions, trainer } from "./dialects/trainer.ts";
export type { Asking, Extra, ExtraFields } from "./extra-fields.ts";
export { type Authorized, type HandlerOptions, handler } from "./handler.ts";
export type { Expose } from "./public-event.ts";
export { type RateLimiter, withinRate } from "./rate-limit.ts";
export type { EarlierMessage } from "./read-thread.ts";
export { refuseNul } from "./refuse-nul.ts";
export type { RunRequest } from "./run-request.ts";
export { responseTo, type WireError, type WireErrorCode } from "./wire-error.ts";
