import { checkNumbers } from "../base/check-numbers.ts";
import { checkOptions, type OptionKinds } from "../base/check-options.ts";
import { LONGEST_TIMER_MS } from "../base/clock.ts";
import { PawlError } from "../base/errors.ts";
import { checkModel } from "../model/check-model.ts";
import { checkPricing } from "../model/pricing.ts";
import type { AskOptions } from "../tools/ask-types.ts";

/** Options of `askModel()`, whatever the type of their schema. */
export type AnyAskOptions = AskOptions<unknown>;

/** The kinds of the options of `askModel()`. */
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

/** The kinds of the options of `context.askModel()`. */
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
  // An option that is missing gets a value that passes the checks below.
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
