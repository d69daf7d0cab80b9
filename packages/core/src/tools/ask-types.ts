import type { Message } from "../model/content.ts";
import type { Usage } from "../model/pricing.ts";
import type { Schema } from "../schema/schema.ts";

/** Options of `askModel()` and `context.askModel()`. One of `prompt` and `messages` is required. */
export interface AskOptions<S = undefined> {
  /** The system prompt. Default: none. */
  system?: string;
  /** The user's message, as text. */
  prompt?: string;
  /** A whole conversation instead of a `prompt`. The last message must be the user's. */
  messages?: readonly Message[];
  /**
   * The schema of the output: zod from 4.2, another schema that describes itself as JSON Schema, `zod3()` or
   * `jsonSchema()`. The model answers by calling a tool with this schema. A model with `forcedToolChoice` is
   * forced to call the tool. Any other model is asked to, and JSON in its text counts too. Default: text
   * only.
   *
   * For a schema of anything but an object, e.g. `z.string()`, the tool's input is `{ value }`, because APIs
   * take only objects. `output` is the value itself. Text that is not JSON does not count as output, even for
   * `z.string()`. For plain text, leave the schema out.
   */
  schema?: S &
    ([S] extends [{ readonly _zod: unknown; readonly toJSONSchema: unknown }]
      ? unknown
      : S extends Schema | undefined
        ? unknown
        : Schema);
  /** The name of the tool for the output: 1 to 64 characters of `a-z A-Z 0-9 _ -`. Default: `answer`. */
  schemaName?: string;
  /** Describes the output to the model. */
  schemaDescription?: string;
  /** The maximum length of an answer, in tokens, with thinking. Default: 4,096. */
  maxTokens?: number;
  /** How often the model is asked again if its output does not match the schema. Default: 1. */
  reminders?: number;
  /** Time limit of all requests together, in milliseconds, up to 2,147,483,647. Default: none. */
  timeoutMs?: number;
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** A model's answer to `askModel()`, with the usage and cost of all requests. */
export interface AskOutcome<Output = undefined> {
  /** The text of the answer. With a `schema`, the text beside the output, often empty. */
  text: string;
  /** The output, parsed by the `schema`. `undefined` without one. */
  output: Output;
  /** Why the model stopped, e.g. `end_turn`. */
  stopReason: string;
  /** Id of the model that answered, which may be a fallback. */
  model: string;
  /** Tokens of all requests and answers. */
  usage: Usage;
  /** Cost in US dollars; 0 for a model without prices. */
  costUsd: number;
  /**
   * Whether the answer was read from the log, so that no model was asked. `usage` and `costUsd` are then
   * those of the stored answer, and were charged before. Always `false` outside of a run.
   */
  replayed: boolean;
}
