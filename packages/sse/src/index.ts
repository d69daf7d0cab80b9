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
export { native } from "./dialects/native.ts";
export { type Authorized, type HandlerOptions, handler } from "./handler.ts";
export type { RunRequest } from "./run-request.ts";
export type { WireError, WireErrorCode } from "./wire-error.ts";
