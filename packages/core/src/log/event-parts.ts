import type { Json, JsonObject } from "../base/json.ts";
import type { ToolChoice } from "../model/model-client.ts";
import type { StopReason } from "./stop-reason.ts";
import type { StoredBudget } from "./stored-budget.ts";
import type { TokenUsage } from "./tokens.ts";

/**
 * Input fields of a tool that are replaced by a note of their length once the call has succeeded. Each value
 * is the note's first word, e.g. `saved` for the note `[saved: 4000 chars]`.
 */
export interface ShortenInput {
  /** The first word of the note that replaces this field, e.g. `saved`. */
  readonly [field: string]: string;
}

/**
 * When a question about the run is asked: before its first turn, between two turns, or before another process
 * resumes it.
 */
export type QuestionPlace = "run" | "turn" | "resume";

/**
 * What closed a question without an answer: the user wrote a message, the run was stopped, or it ended for
 * another reason.
 */
export type ClosedBy = "message" | "stop" | "end";

/** Why a question was closed without an answer, as a clause for the model, and what closed it. */
export interface Closed {
  closed?: string;
  closed_by?: ClosedBy;
}

/**
 * A run that starts in the append that ends another one. `messages` are the `seq`s of the queued messages
 * that it answers. `agent` is set after a hand-over: the agent that answers in place of the one before.
 */
export interface NextRun {
  run_id: string;
  messages: number[];
  agent?: string;
}

/**
 * Why a call was answered without being run, and counts as neither a success nor a failure.
 *
 * - `duplicate`: an equal call has succeeded in this run, see `ToolOptions.repeatable`.
 * - `waiting`: a tool that it depends on is called in the same turn; the model calls it again in the next.
 * - `surplus`: only one call was allowed in the turn, or the turn was the last one.
 * - `closed`: its question was closed without an answer, e.g. by a new message.
 *
 * Hooks may use reasons of their own.
 */
export type SkipReason = "duplicate" | "waiting" | "surplus" | "closed" | (string & {});

/** Returns how a call has ended. A call that was answered without being run is `skipped`, and no success. */
export function resultPhase({
  success,
  skipped,
}: {
  success: boolean;
  skipped?: string | undefined;
}): "done" | "error" | "skipped" {
  if (skipped !== undefined) return "skipped";
  return success ? "done" : "error";
}

/** Which call an event is about. */
export type OfCall = { tool_name: string; call_id: string };

/**
 * Who learns the input with which a call runs, if a hook has changed it: nobody, the model, or also pages. If
 * several hooks change it, the strictest counts.
 */
export type InputFor = "nobody" | "model" | "all";

/** A file of a user's message or a tool result, as the log stores it. */
export interface FileReference {
  /** The SHA-256 of the file's bytes in hexadecimal. The bytes are in the runtime's `files`. */
  id: string;
  /** The media type, found in the file's bytes: of a picture, `application/pdf` or `text/plain`. */
  media_type: string;
  /** The size in bytes. */
  bytes: number;
  /** The name that the client gave. */
  name?: string;
  /** The width of a picture in pixels. */
  width?: number;
  /** The height of a picture in pixels. */
  height?: number;
  /** The estimated number of pages of a PDF. */
  pages?: number;
}

/** The payload of a `checkpoint` event, see `EventData`. */

export type Checkpoint = {
  from_seq: number;
  upto_seq: number;
  reason: "drop_old_results" | "summary" | "start";
  only?: "files" | "refused" | "refused_files";
  refused?: RefusedContent;
  summary?: string;
};

/**
 * What a checkpoint changes in the context after the model's provider has refused a request for its content,
 * so that later requests do not contain it unchanged.
 */
export interface RefusedContent {
  /**
   * Why the request was refused.
   *
   * - `size`: it was too long.
   * - `filter`: a filter of the provider refused it.
   * - `model`: the model refused to answer it (`refusal`), for the second time in a row.
   * - `signature`: the provider did not accept thinking in it, e.g. that of another model.
   * - `files`: its files could not be read, or were too many.
   * - `hook`: a hook has refused these messages of the user. The run ends with the reason `stop`.
   */
  by: "size" | "filter" | "model" | "signature" | "files" | "hook";
  /**
   * The context events that change, by `seq`. `keep` is how many characters of the event stay. With 0, a note
   * replaces its content; without `keep`, notes replace only its files.
   */
  events: { seq: number; keep?: number }[];
  /** Why the run ends. Only with `by: "hook"`. */
  stop?: StopReason;
}

/** The payload of a `note` event, see `EventData`. */
export type StoredNote = {
  text: string;
  tag?: string;
  landing?: StopReason;
  reminder?: true;
  continues?: true;
  call_id?: string;
};

/** The payload of a `spending` event, see `EventData`. */
export type ChargedUse = {
  by: string;
  model: string;
  tokens: TokenUsage;
  cost_cents: number;
  attempt?: number;
  task?: string;
  task_over?: true;
  answer?: { text: string; stop_reason: string; output?: Json };
};

/** The payload of a `task_started` event, see `EventData`. */
export type TaskStart = {
  task_id: string;
  by: string;
  agent: string;
  key: string;
  slice: StoredBudget;
  call_id?: string;
};

/** The parameters of a request to a model, as its `llm_request` has them. */
export interface SentParams {
  /** The longest answer, in tokens. */
  max_tokens: number;
  /** The tool choice of the request. Absent if the model decides. */
  tool_choice?: ToolChoice;
  /**
   * The choice of a hook that forces a call, if the model cannot be forced. `tool_choice` is then `auto`, and
   * a note asks the model for the call.
   */
  hook_choice?: ToolChoice;
  /** The names of the tools that may run in this turn. Absent if all tools of the prefix may. */
  tools?: string[];
  /** Whether the request has the prefix's output format. */
  output_format?: true;
}

/**
 * Returns the `seq`s of the user's messages that a hook has hidden from the model by this checkpoint. Leave
 * them out of everything that tells a model of the conversation.
 *
 * @example
 * ```ts
 * import { hiddenBy } from "@pawl/core/tools";
 *
 * const refused = { by: "hook" as const, events: [{ seq: 3, keep: 0 }] };
 * console.log(hiddenBy({ refused })); // [ 3 ]
 * ```
 */
export function hiddenBy({ refused }: Pick<Checkpoint, "refused">): number[] {
  return refused?.by === "hook" ? refused.events.map(({ seq }) => seq) : [];
}

/** What the application says about the user, and whether it gave credentials, which are never stored. */
export interface CalledBy {
  caller?: JsonObject;
  credentials?: true;
}

/** A part that a tool or a hook emits for pages, see `ToolContext.emit`. */
export interface EmittedPart {
  type: `data-${string}`;
  data: Json;
  id?: string;
  /** Whether the part is only shown to connected clients, and not stored. Default: `false`. */
  transient?: boolean;
}

/** Names of parts that Pawl itself sends to pages. An emitted part would replace them, or be replaced. */
const OWN_NAMES = /^data-(?:output|artifact|role|tool-progress|tool-status)$/;

/**
 * Returns whether an emitted part may have this name: `data-` and 1 to 195 characters without spaces and
 * colons, but not a name of Pawl's own parts: `data-output`, `data-artifact`, `data-role`,
 * `data-tool-progress` and `data-tool-status`.
 *
 * @example
 * ```ts
 * import { isDataPartName } from "@pawl/core/inspect";
 *
 * console.log(isDataPartName("data-weather"), isDataPartName("weather")); // true false
 * ```
 */
export function isDataPartName(name: unknown): name is EmittedPart["type"] {
  return typeof name === "string" && /^data-[^\s:]{1,195}$/.test(name) && !OWN_NAMES.test(name);
}
