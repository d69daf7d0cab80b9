import type { Json, JsonInput } from "../base/json.ts";
import type { SkipReason } from "../log/event-parts.ts";
import type { ContentBlock, ContentBlockParam } from "../model/content.ts";
import type { Schema } from "../schema/schema.ts";
import type { QuestionRecord } from "../session/asking.ts";
import type { Expiry } from "../tools/expiry.ts";
import type { Tool } from "../tools/tool.ts";

/** The argument of `beforeTool`: a tool call before it runs. The input matches the tool's schema. */
export interface PlannedToolCall {
  /** Id of the call, as the model gave it. */
  readonly callId: string;
  /** The tool that the model called. */
  readonly tool: Tool;
  /** The input that the tool will get: parsed, and with the changes that earlier hooks made. */
  readonly input: unknown;
  /** The input as the model wrote it. */
  readonly arguments: Json;
  /** The answer to this hook's question about this call. It matches the question's schema. */
  readonly answer?: Json;
}

/**
 * A hook's decision about a tool call.
 *
 * - `input`: runs the call with this input, which must match the tool's schema. The model reads in its next
 *   request which fields were changed. Pages see the input only if all that was changed comes from the
 *   user's answer to this hook's question. `shown: true` shows it to pages in any case, `shown: false` hides
 *   it from pages and from the model, e.g. if it has a secret; an approval shows `"[hidden]"` in its place.
 *   If several hooks change the input, the strictest of them counts.
 * - `deny`: refuses the call. The text tells the model why.
 * - `result`: answers the call without running the tool. With `skipped`, a word of your own for the reason,
 *   the call counts as neither success nor failure.
 * - `ask`: asks the user. The hook is called again with the user's answer. If it lets the call run, but the
 *   call is not what the user was asked about any more, all hooks are called without an answer again.
 */
export type ToolChange =
  | { input: JsonInput; shown?: boolean }
  | { deny: string }
  | { result: JsonInput; skipped?: SkipReason }
  | { ask: Ask };

/**
 * A question to the user.
 *
 * - `kind`, `payload`: for the client, which chooses an input control by `kind` and shows the payload
 * - `answer`: the schema that an answer must match
 * - `expires`: when an unanswered question gets a default answer, and which one. Default: never.
 */
export interface Ask extends Pick<QuestionRecord, "kind"> {
  payload: JsonInput;
  answer: Schema;
  expires?: Expiry;
}

/** The argument of `afterTool`: the outcome of a call, before it is stored. */
export interface ToolOutcome {
  /** Id of the call, as the model gave it. */
  readonly callId: string;
  /** The tool that ran. */
  readonly tool: Tool;
  /** The input that the tool got: parsed, and with the changes of hooks. */
  readonly input: unknown;
  /** Whether the tool succeeded. */
  readonly success: boolean;
  /** The value that the tool returned, or its error message. */
  readonly result: Json;
  /** The text or content blocks that the model reads. Default: `result` as text. */
  readonly content?: string | ContentBlock[];
  /**
   * The value that the tool threw, e.g. an `Error` with its stack. Absent if the tool threw nothing. Not
   * stored. Credentials of the caller in it are replaced by `…`.
   */
  readonly error?: unknown;
}

/** Changes to a call's outcome before it is stored. */
export type OutcomeChange = Partial<
  Pick<ToolOutcome, "success"> & {
    readonly result: JsonInput;
    readonly content: string | readonly ContentBlockParam[];
  }
>;
