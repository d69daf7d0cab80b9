// The entry `@pawl/core/model`: for authors of model clients.

// The port of a model

export type { OtherBlock, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock } from "./model/content.ts";
export type { DecidedCall, Decision } from "./model/deciding.ts";
export { type FormatRules, formatSchema } from "./model/format-schema.ts";
export type {
  AttemptFailed,
  ContentDelta,
  CurrentRun,
  FinishedCall,
  MessageDelta,
  MessageStart,
  ModelClient,
  ModelEvent,
  ModelRequest,
  StreamOptions,
} from "./model/model-client.ts";

// Types and sizes of pictures

export { type PixelSize, pictureSize } from "./files/picture-size.ts";
export { type PictureType, pictureType } from "./files/picture-type.ts";

// Usage

export { type UsageChargesOptions, usageCharges } from "./model/charges.ts";
export { longestAnswer, writtenLength } from "./model/estimate.ts";
export { pricingFor } from "./model/price-factors.ts";
export { addUsage, noUsage, type RawUsage, type TokenPrices, usageFromWire } from "./model/pricing.ts";
export type { UsageEstimates } from "./model/usage-so-far.ts";

// The shape of an answer, and of requests

export { eventCheck } from "./model/check-event.ts";
export {
  type AnswerBody,
  type AnswerProgress,
  type PacketReaderOptions,
  packetReader,
} from "./model/clients/packet-reader.ts";
export { malformedAnswer, unreadable, wrongContentType, wrongKind } from "./model/malformed.ts";
export { opaqueOf, withOpaque, withoutOpaque } from "./model/opaque.ts";
export { stopReasonNamed } from "./model/stop-names.ts";

// Failures, and secrets in them

export { isPassing, type ResponseHeaders, retryAfterMs } from "./model/clients/http-failure.ts";
export {
  type ApiFailure,
  cutOffAnswer,
  type FailedCall,
  type ModelApi,
  modelFailure,
} from "./model/clients/sdk-failure.ts";
export { clientSecrets, safeRequestId, secretsIn, withoutSecrets } from "./model/clients/secrets.ts";
export { type SetUp, setUpHint, withHint } from "./model/clients/set-up-hint.ts";

// Options of clients over an SDK

export {
  bodyWithout,
  checkModelClient,
  type ModelClientChecks,
  type ModelClientOptions,
} from "./model/clients/client-options.ts";

// Helpers

export { type BackoffOptions, backoff } from "./base/backoff.ts";
export {
  type Circuit,
  type CircuitCall,
  type CircuitOptions,
  type FailureCause,
  failureCause,
  newCircuit,
} from "./base/circuit.ts";
export type { Sleep } from "./base/clock.ts";
export { oneByOne } from "./base/one-by-one.ts";
export {
  type UserCall,
  type UserCircuits,
  type UserCircuitsOptions,
  userCircuits,
} from "./base/user-circuits.ts";
export { withoutKeys } from "./base/without-keys.ts";
