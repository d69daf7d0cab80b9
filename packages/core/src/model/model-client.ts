import type { ModelFailure } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import type { ContentBlock, Message, TextBlock, ToolSpec } from "./content.ts";
import type { Pricing, RawUsage } from "./pricing.ts";

/** A request to a model. It is built from the log alone, see `requestOf`. */
export interface ModelRequest {
  /** Frozen like the tools, because requests share them. */
  system: readonly TextBlock[];
  tools: readonly ToolSpec[];
  messages: Message[];
  /** The most tokens that the answer may have. */
  maxTokens: number;
  /** Default: `auto`. */
  toolChoice?: ToolChoice;
}

/** Whether the model has to use a tool, and which. */
export type ToolChoice =
  | { type: "auto" | "any"; disable_parallel_tool_use?: boolean }
  | { type: "tool"; name: string; disable_parallel_tool_use?: boolean }
  | { type: "none" };

/** One event of a model's answer: the stream events of the Messages API. Unknown events are ignored. */
export type ModelEvent =
  | { type: "message_start"; message: MessageStart; request_id?: string }
  | { type: "content_block_start"; index: number; content_block: ContentBlock }
  | { type: "content_block_delta"; index: number; delta: ContentDelta }
  | { type: "content_block_stop"; index: number }
  | { type: "message_delta"; delta: MessageDelta; usage?: RawUsage }
  | { type: "message_stop" }
  | { type: "ping" }
  | AttemptFailed;

/**
 * The answer received so far is void, and another attempt follows, beginning with its own `message_start`.
 * Models never send this; the wrappers around them do, see `withRetry` and `withFallback`.
 */
export interface AttemptFailed {
  type: "attempt_failed";
  error: ModelFailure & { message: string };
  /** How long until the next attempt, in milliseconds. */
  retry_in_ms: number;
  /** The model of the next attempt. Default: the same one. */
  model?: string;
  /** Prices of that model. If `model` is given and this is absent, its cost is not counted. */
  pricing?: Pricing;
}

/** The beginning of a reply: its id, its model, and the usage of the prompt. */
export interface MessageStart {
  id: string;
  model: string;
  usage?: RawUsage;
}

/**
 * `text_delta`, `input_json_delta`, `thinking_delta`, `signature_delta`, `citations_delta` and future types.
 */
export interface ContentDelta {
  type: string;
  text?: string;
  partial_json?: string;
  thinking?: string;
  signature?: string;
  citation?: Json;
}

/** The end of a reply: why it stops, and the usage so far. */
export interface MessageDelta {
  stop_reason: string | null;
  stop_sequence?: string | null;
  [key: string]: Json | undefined;
}

/** Options of a model call. */
export interface StreamOptions {
  /** Aborts the call; `stream` then throws the signal's reason. */
  signal: AbortSignal;
  /** Returns how much time is left, in milliseconds. A wait that would take as long is not begun. */
  timeLeftMs?(): number;
}

/**
 * A model. `stream` sends one request and yields the answer's events in order. It ends only after
 * `message_stop`, and throws a `PawlError` with the code `model_error` for any failure of the model or the
 * network. It never retries. Wrappers around a model may, and announce it by {@link AttemptFailed}.
 */
export interface ModelClient {
  /** The model's id, e.g. `claude-sonnet-5-5`. */
  readonly id: string;
  /** Its prices. If absent, its cost is not counted. */
  readonly pricing?: Pricing;
  /** Whether a request may force it to call a tool (`toolChoice` `any` or `tool`). Default: false. */
  readonly forcedToolChoice?: boolean;
  /** Sends a request and yields the events of the answer. */
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<ModelEvent>;
}
