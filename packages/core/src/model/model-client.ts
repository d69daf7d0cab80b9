import type { ModelFailure } from "../base/errors.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { ContentBlockParam, Message, TextBlock, ToolSpec } from "./content.ts";
import type { Pricing, RawUsage } from "./pricing.ts";

/** A request to a model. A run's requests are built from its log alone. */
export interface ModelRequest {
  /** The system prompt, in blocks. This list and `tools` are frozen, because requests share them. */
  system: readonly TextBlock[];
  /** The tools that the model may call. */
  tools: readonly ToolSpec[];
  /** The conversation, oldest message first. */
  messages: Message[];
  /** The most tokens that the answer may have. */
  maxTokens: number;
  /** Whether the model must call a tool. Default: `auto`. */
  toolChoice?: ToolChoice;
  /**
   * The JSON Schema that the answer must match. Only models with `outputFormat` get one. Default: none.
   */
  outputFormat?: JsonObject;
}

/**
 * Which tools the model calls. `auto`: any or none. `any`: at least one. `tool`: the named one. `none`: none.
 */
export type ToolChoice =
  | { type: "auto" | "any"; disable_parallel_tool_use?: boolean }
  | { type: "tool"; name: string; disable_parallel_tool_use?: boolean }
  | { type: "none" };

/**
 * One event of a model's answer: a stream event of the Messages API, or {@link AttemptFailed}. Events of
 * unknown types are ignored.
 */
export type ModelEvent =
  | { type: "message_start"; message: MessageStart; request_id?: string }
  | { type: "content_block_start"; index: number; content_block: ContentBlockParam }
  | { type: "content_block_delta"; index: number; delta: ContentDelta }
  | { type: "content_block_stop"; index: number }
  | { type: "message_delta"; delta: MessageDelta; usage?: RawUsage }
  | { type: "message_stop" }
  | { type: "ping" }
  | AttemptFailed;

/**
 * Announces another attempt after a failed one. The answer received so far is void; the next attempt begins
 * with its own `message_start`. Only wrappers such as `withRetry` and `withFallback` send this event.
 */
export interface AttemptFailed {
  /** The type of this event. */
  type: "attempt_failed";
  /** How the attempt failed. */
  error: ModelFailure & { message: string };
  /** How long until the next attempt, in milliseconds. */
  retry_in_ms: number;
  /** Id of the model of the next attempt. Default: the same model. */
  model?: string;
  /** Prices of that model. If `model` is given without prices, the next attempt's cost is not counted. */
  pricing?: Pricing;
}

/** The beginning of an answer: its id, its model, and the usage of the prompt. */
export interface MessageStart {
  /** The API's id of the answer. */
  id: string;
  /** Id of the model that answers, as the API reports it. */
  model: string;
  /** Token counts so far. */
  usage?: RawUsage;
}

/**
 * A piece of a block. `type` is `text_delta`, `input_json_delta`, `thinking_delta`, `signature_delta`,
 * `citations_delta` or a future type.
 */
export interface ContentDelta {
  type: string;
  text?: string;
  partial_json?: string;
  thinking?: string;
  signature?: string;
  citation?: Json;
}

/** The end of an answer, with the reason why the model stopped. */
export interface MessageDelta {
  /** Why the model stopped, e.g. `end_turn`; `null` if it gave no reason. */
  stop_reason: string | null;
  /** The stop sequence that the model wrote, if any. */
  stop_sequence?: string | null;
  [key: string]: Json | undefined;
}

/** Options of a model call. */
export interface StreamOptions {
  /** Aborts the call; `stream` then throws the signal's reason. */
  signal: AbortSignal;
  /**
   * Returns how much time the call has left, in milliseconds. A retry is skipped if its wait would use up
   * this time.
   */
  timeLeftMs?(): number;
  /**
   * How many attempts at this answer failed before the run was suspended for a long wait. `withRetry` counts
   * them among its retries. Default: 0.
   */
  failedAttempts?: number;
  /**
   * For which user the call is made, so that wrappers share the model fairly: `withCircuitBreaker` has a
   * circuit for each user. Clients do not send it. Absent outside of runs.
   */
  userId?: string;
  /**
   * Returns the run for which the call is made, so far. For models that are code, e.g. `deciding()`. Absent
   * outside of a run's turns.
   */
  run?(): Promise<CurrentRun>;
}

/** A run before the model's next answer. */
export interface CurrentRun {
  /** Id of the run. */
  runId: string;
  /** The text of the user's last message. */
  message: string;
  /** The calls of the run, in order. */
  results: readonly FinishedCall[];
}

/** A tool call of a run, and its result. */
export interface FinishedCall {
  /** The tool's name. */
  tool: string;
  /** The input with which the tool ran: as the model wrote it, or as a hook has changed it. */
  input: Json;
  /** The value that the tool returned, or its error message. */
  result: Json;
  /** Whether the call succeeded. */
  success: boolean;
}

/**
 * A client for a model. `stream` sends one request and yields the answer's events in order. The stream ends
 * after `message_stop`, and throws a `PawlError` with the code `model_error` for any failure of the model or
 * the network. Clients never retry; wrappers such as `withRetry` do, and announce each retry by
 * {@link AttemptFailed}.
 */
export interface ModelClient {
  /** The model's id, e.g. `claude-sonnet-5-5`. */
  readonly id: string;
  /** The model's prices. Without them, the cost of its answers is not counted. */
  readonly pricing?: Pricing;
  /** Whether a request may force the model to call a tool (`toolChoice` `any` or `tool`). Default: false. */
  readonly forcedToolChoice?: boolean;
  /**
   * Converts a JSON Schema to the form that {@link ModelRequest.outputFormat} needs, e.g. by
   * `formatSchema()`. Returns `undefined` if the API cannot express it. Converting a converted schema must
   * change nothing. Default: the model has no output formats.
   */
  outputFormat?(schema: JsonObject): JsonObject | undefined;
  /**
   * The types of files that the model reads besides text. Messages with other files are refused, and other
   * files in tool results are replaced by a note. Default: nothing.
   */
  readonly reads?: readonly ("image" | "pdf")[];
  /**
   * All models that may answer, if there are several, e.g. those of `withFallback`. A cost limit needs the
   * prices of each. Default: only this model.
   */
  readonly models?: readonly Pick<ModelClient, "id" | "pricing">[];
  /** Sends a request and yields the events of the answer. */
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<ModelEvent>;
}
