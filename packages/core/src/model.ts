// The entry `@pawl/core/model`: for authors of model clients.
export { oneByOne } from "./base/one-by-one.ts";
export type { Sleep } from "./base/pause.ts";
export { withoutKeys } from "./base/without-keys.ts";
export type { TextBlock, ToolResultBlock, ToolUseBlock } from "./model/content.ts";
export { isPassing, type ResponseHeaders, retryAfterMs } from "./model/http-failure.ts";
export type {
  AttemptFailed,
  ContentDelta,
  MessageDelta,
  MessageStart,
  StreamOptions,
} from "./model/model-client.ts";
export { safeRequestId, secretsIn, withoutSecrets } from "./model/secrets.ts";
