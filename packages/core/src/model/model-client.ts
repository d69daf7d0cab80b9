import type { ModelFailure } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import type { ContentBlock, Message, TextBlock, ToolSpec } from "./content.ts";
import type { Pricing, RawUsage } from "./pricing.ts";

/** What the model is asked. Built from the log alone, see `requestOf`. */
export interface ModelRequest {
  /** Frozen, as the tools are: many requests have them in common. */
  system: readonly TextBlock[];
  tools: readonly ToolSpec[];
  messages: Message[];
  /** The most tokens the answer may have. */
  maxTokens: number;
  /** `auto` when absent. */
  toolChoice?: ToolChoice;
}

/** Whether the model has to use a tool, and which. */
export type ToolChoice =
  | { type: "auto" | "any"; disable_parallel_tool_use?: boolean }
  | { type: "tool"; name: string; disable_parallel_tool_use?: boolean }
  | { type: "none" };

/** One event of a model's answer: the stream events of the Messages API. Unknown ones are passed over. */
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
 * What has come of the answer so far is void, and another attempt follows: it begins with a `message_start`
 * of its own. No model says this, but what is put around one does, see `withRetry` and `withFallback`.
 */
export interface AttemptFailed {
  type: "attempt_failed";
  error: ModelFailure & { message: string };
  /** How long until the next attempt, in milliseconds. */
  retry_in_ms: number;
  /** The model of the next attempt; the same one when absent. */
  model?: string;
  /** What that model's tokens cost; absent beside `model` means that cost is not counted. */
  pricing?: Pricing;
}

/** The beginning of a reply: its id, its model, and the usage of the prompt. */
export interface MessageStart {
  id: string;
  model: string;
  usage?: RawUsage;
}

/**
 * `text_delta`, `input_json_delta`, `thinking_delta`, `signature_delta`, `citations_delta` and whatever comes
 * later.
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

/** What a call of a model is bound by. */
export interface StreamOptions {
  /** Ends the call; `stream` throws the signal's reason. */
  signal: AbortSignal;
  /**
   * How long until the answer would come too late, in milliseconds: no wait is begun that takes as long as
   * that.
   */
  timeLeftMs?(): number;
}

/**
 * A model. `stream` sends one request and yields the answer's events in order. It ends only after
 * `message_stop`, and throws a `PawlError` with the code `model_error` for anything the model or the network
 * did. It never retries; what is put around a model may, and says so by {@link AttemptFailed}.
 */
export interface ModelClient {
  /** The model's id, e.g. `claude-sonnet-5-5`. */
  readonly id: string;
  /** What its tokens cost; absent means that cost is not counted. */
  readonly pricing?: Pricing;
  /**
   * Whether a request may force it to call a tool (`toolChoice` `any` or `tool`); absent means that it may
   * not.
   */
  readonly forcedToolChoice?: boolean;
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<ModelEvent>;
}
