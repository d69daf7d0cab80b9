import type { StopReason } from "../log/stop-reason.ts";
import type { ContentBlock } from "../model/content.ts";
import type { ModelClient, ModelRequest, ToolChoice } from "../model/model-client.ts";

/** The settings of the next turn. To add something for the model to read, use `context.append`. */
export interface TurnPlan {
  /** The model of this turn. Use `answering("…")` for a fixed answer. */
  model: ModelClient;
  /** The maximum length of the answer, in tokens. */
  maxTokens: number;
  /**
   * Whether the model may, must or must not call tools. Default: the model decides.
   *
   * A model that cannot be forced (`forcedToolChoice`) is asked for the call by a note instead, and is
   * reminded once in the run. If it then answers without a call, the run ends as `error`.
   */
  toolChoice?: ToolChoice;
  /**
   * The names of the tools that may run in this turn. Other tools are still sent to the model, and calls of
   * them are refused. Default: all tools.
   */
  tools?: readonly string[];
}

/** Changes to the turn's settings, or the end of the run. */
export type TurnChange = Partial<TurnPlan> | { stop: StopReason };

/** The argument of `beforeModel`: the next request to the model. */
export interface PlannedRequest {
  /** The request as it will be sent if no hook changes the plan. */
  readonly request: ModelRequest;
  /** The estimated length of the prompt, in tokens. */
  readonly estimatedTokens: number;
  /** The settings of the request's turn. */
  readonly plan: Readonly<TurnPlan>;
}

/** A complete answer of the model, before it is stored. */
export interface ModelReply {
  /** The answer's blocks: text, thinking and tool calls. */
  readonly content: readonly ContentBlock[];
  /** The stop reason that the model reported, e.g. `end_turn`. */
  readonly stopReason: string | null;
}
