// The entry `@pawl/core/model`: for authors of model clients.
export { oneByOne } from "./base/one-by-one.ts";
export type { Sleep } from "./base/pause.ts";
export { withoutKeys } from "./base/without-keys.ts";
export type { TextBlock, ToolResultBlock, ToolUseBlock } from "./model/content.ts";
export { longestAnswer, writtenLength } from "./model/estimate.ts";
export { isPassing, type ResponseHeaders, retryAfterMs } from "./model/http-failure.ts";
export type {
  AttemptFailed,
  ContentDelta,
  MessageDelta,
  MessageStart,
  ModelEvent,
  StreamOptions,
} from "./model/model-client.ts";
export { addUsage, noUsage, type RawUsage, usageFromWire } from "./model/pricing.ts";
export { safeRequestId, secretsIn, withoutSecrets } from "./model/secrets.ts";
export { type SetUp, setUpHint } from "./model/set-up-hint.ts";
export type { UsageEstimates } from "./model/usage-so-far.ts";
