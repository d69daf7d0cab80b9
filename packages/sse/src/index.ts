// The entry `@pawl/sse`: an agent over HTTP.

// The handler

export { type AdmitReservationOptions, admitReservation } from "./handler/admit-reservation.ts";
export type { CorsOptions } from "./handler/cors.ts";
export type { Asking, Extra, ExtraFields } from "./handler/extra-fields.ts";
export { handler } from "./handler/handler.ts";
export type { Authorized, ErrorBody, HandlerOptions, RefusedRequest } from "./handler/handler-options.ts";
export { type HealthOptions, health } from "./handler/health.ts";
export type { RunRequest } from "./request/run-request.ts";
export type { Caller, Wanted } from "./session/caller.ts";
export type { EventParts, Expose } from "./session/public-event.ts";

// Dialects

export { agUi } from "./dialects/ag-ui/ag-ui.ts";
export { aiSdk } from "./dialects/ai-sdk/ai-sdk.ts";
export type { UiMessage } from "./dialects/ai-sdk/ai-sdk-messages.ts";
export type { AiSdkOptions } from "./dialects/ai-sdk/ai-sdk-options.ts";
export type { UiPart } from "./dialects/ai-sdk/ui-part.ts";
export { native } from "./dialects/native.ts";
export { type UiMessagesOptions, uiMessages } from "./handler/ui-messages.ts";

// Dialects of your own

export type {
  Begin,
  Dialect,
  DialectRequest,
  Encoder,
  EncoderContext,
  RequestLimits,
} from "./dialects/base/dialect.ts";
export type { MessageSpending, ThreadFacts } from "./dialects/base/facts.ts";

export type { EarlierMessage } from "./request/read-thread.ts";

// Routes of your own

export { type RateLimiter, withinRate } from "./handler/rate-limit.ts";
export { refuseNul } from "./request/refuse-nul.ts";
export { responseTo, type WireError, type WireErrorCode } from "./request/wire-error.ts";
