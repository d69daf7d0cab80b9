import type { Json } from "../base/json.ts";
import type { FileReference } from "../log/event-parts.ts";
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
   * If the model cannot be forced (`forcedToolChoice` is false), a note asks it for the call, and it is
   * reminded once in the run. If it answers without a call again, the run ends as `error`.
   */
  toolChoice?: ToolChoice;
  /**
   * The names of the tools that may run in this turn. Other tools are still sent to the model, and calls of
   * them are refused. Default: all tools.
   */
  tools?: readonly string[];
}

/**
 * Ends the run. With `hide`, the user's messages that no answer follows yet are left out of all later
 * requests, with their files; a list hides only those with these `seq`s. A note takes their place.
 */
export interface RunStop {
  stop: StopReason;
  hide?: boolean | readonly number[];
}

/** Changes to the turn's settings, or the end of the run. */
export type TurnChange = Partial<TurnPlan> | RunStop;

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

/**
 * The argument of `duringModel`: a part of the model's answer that no reader has seen yet.
 *
 * - `start`: the model is being asked. Nothing of its answer is shown before the method has returned.
 * - `text`: a block of text. `thinking`: a block of the model's thinking.
 * - `output`: the run's output, see `AgentOptions.output`.
 * - `tool_input`: the input of a call.
 */
export interface AnswerPart {
  /** What the part is. */
  readonly kind: "start" | "text" | "thinking" | "output" | "tool_input";
  /** The part's whole text so far, with the changes of earlier hooks. Inputs and outputs are JSON text. */
  readonly text: string;
  /** Whether the part is complete. */
  readonly complete: boolean;
  /** The output, or the input of the call. Absent while it is incomplete, and if it is not JSON. */
  readonly value?: Json;
  /** The tool that the model calls. Only for `tool_input`. */
  readonly tool?: string;
  /** Id of the call, as the model gave it. Only for `tool_input`. */
  readonly callId?: string;
}

/**
 * A hook's decision about a part of an answer.
 *
 * - `stop`: ends the run. Readers keep the text that they were shown before. With `hide`, no later request
 *   has the messages that this request was to answer.
 * - `text`: replaces the whole text so far of a part `text`. It must begin with the text that readers have
 *   been shown.
 * - `value`: replaces an output, or the input of a call of the agent's own tools.
 */
export type AnswerChange = RunStop | { text: string } | { value: Json };

/** A message of the user. */
export interface UserMessage {
  /** Its number in the log: `seq` of its `user_message`. */
  readonly seq: number;
  /** The text. */
  readonly text: string;
  /** Its files, in order. */
  readonly files: readonly FileReference[];
}
