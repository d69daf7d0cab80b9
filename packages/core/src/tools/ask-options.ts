import { checkNumbers } from "../base/check-numbers.ts";
import { checkOptions, type OptionKinds } from "../base/check-options.ts";
import { LONGEST_TIMER_MS } from "../base/clock.ts";
import { PawlError } from "../base/errors.ts";
import { checkModel } from "../model/check-model.ts";
import type { Message } from "../model/content.ts";
import { checkPricing, type Usage } from "../model/pricing.ts";
import type { Schema } from "./schema.ts";

/** Options of `askModel()` and `context.askModel()`. One of `prompt` and `messages` is required. */
export interface AskOptions<S = undefined> {
  /** The system prompt. Default: none. */
  system?: string;
  /** The user's message, as text. */
  prompt?: string;
  /** The conversation instead of a `prompt`. The last message must be the user's. */
  messages?: readonly Message[];
  /**
   * The schema of the output: zod from 4.2, another schema that describes itself as JSON Schema, `zod3()` or
   * `jsonSchema()`. The model answers by calling a tool of this schema. It is forced to, where the model has
   * `forcedToolChoice`; otherwise it is asked to, and JSON in its text counts too. Default: text only.
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
   * Whether the answer was read from the log instead of the model. `usage` and `costUsd` are then those of
   * the stored answer: they were charged before. Always `false` outside of a run.
   */
  replayed: boolean;
}

/** The options without the type of their schema. */
export type AnyAskOptions = AskOptions<unknown>;

/** How the options are checked. */
export const ASK_OPTIONS: OptionKinds<AnyAskOptions> = {
  system: "string",
  prompt: "string",
  messages: "list",
  schema: "any",
  schemaName: { mustBe: "1 to 64 characters of a-z A-Z 0-9 _ -", is: isToolName },
  schemaDescription: "string",
  maxTokens: "number",
  reminders: "number",
  timeoutMs: "number",
  signal: "object",
};

/** Hints for option names of other libraries. */
const INSTEAD = {
  model: "It is the first argument.",
  key: "Only `context.askModel()` of hooks and tools has keys: they need a run's log.",
  abortSignal: "Use `signal`.",
  maxOutputTokens: "Use `maxTokens`.",
  max_tokens: "Use `maxTokens`.",
  instructions: "Use `system`.",
  input: "Use `prompt`.",
  output: "Use `schema`.",
  timeout: "Use `timeoutMs`.",
  maxRetries: "Wrap the model: resilient(model, { retry: { retries } }).",
  temperature: "Set it where the model is made, e.g. claude(id, { body: { temperature } }).",
  tools: "An agent has tools. `askModel()` asks once.",
};

/** How the options of a call within a run are checked. */
export const ASK_IN_RUN_OPTIONS: OptionKinds<AnyAskOptions & { key?: string }> = {
  ...ASK_OPTIONS,
  key: { mustBe: "a text that is not empty", is: (key) => typeof key === "string" && key !== "" },
};

/** Checks the model and the options. @throws PawlError `config` */
export function checkAsk<O extends AnyAskOptions>(
  whose: string,
  model: unknown,
  options: object,
  kinds: OptionKinds<O>,
): void {
  checkModel(`The first argument of ${whose}`, model);
  checkPricing(`the model of ${whose}`, model.pricing);
  checkOptions(whose, options, kinds, { instead: INSTEAD });
  const { prompt, messages, maxTokens = 1, reminders = 0, timeoutMs = 0 } = options as AnyAskOptions;
  if ((prompt === undefined) === (messages === undefined))
    throw new PawlError("config", `${whose} needs either \`prompt\` or \`messages\`.`);
  if (messages !== undefined && messages.at(-1)?.role !== "user")
    throw new PawlError("config", `The last of the \`messages\` of ${whose} must be the user's.`);
  checkNumbers(whose, { maxTokens }, { least: 1, whole: true });
  checkNumbers(whose, { reminders }, { whole: true });
  checkNumbers(whose, { timeoutMs }, { most: LONGEST_TIMER_MS });
}

function isToolName(name: unknown): boolean {
  return typeof name === "string" && /^[\w-]{1,64}$/.test(name);
}
