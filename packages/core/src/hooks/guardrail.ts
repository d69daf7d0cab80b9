import { COUNT, checkOptions, type OptionKinds } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import { shapeOf } from "../base/invalid-input.ts";
import type { Json } from "../base/json.ts";
import type { Awaitable, Hook, RunContext } from "./hook.ts";
import type { AnswerChange, AnswerPart, RunStop, UserMessage } from "./turn-plan.ts";

/** Options of `guardrail()`. At least one of `input` and `output` is required. */
export interface GuardrailOptions<Deps = unknown> {
  /** The hook's name, unique among the agent's hooks. Default: `guardrail`. */
  name?: string;
  /**
   * Judges each message of the user, also one that arrives during a run. Returns nothing to let it pass, or
   * `block` with a sentence for the user. The run then ends as `blocked`, and later requests do not contain
   * the message. It stays in the log, and the user still sees it.
   */
  input?(message: UserMessage, context: RunContext<Deps>): Awaitable<{ block: string } | undefined>;
  /**
   * Judges each part of the model's answers before anybody reads it, and before it is stored: text, thinking,
   * outputs and inputs of calls. Returns nothing to let it pass, `block` with a sentence for the user, or
   * `replace` with the whole new text, the new output, or the new input of the call. Thinking can only be
   * blocked, because the API has signed it.
   */
  output?(
    part: AnswerPart,
    context: RunContext<Deps>,
  ): Awaitable<{ block: string } | { replace: Json } | undefined>;
  /**
   * How many characters of text `output` judges at a time, and how many are held back from readers. It gets
   * the text so far, so a word of at most `every` characters is never shown in part. Default: it judges
   * complete blocks, and readers get text in blocks.
   */
  every?: number;
  /**
   * Whether `input` judges while the model reads the message and writes. The answer is held back until
   * `input` has returned. Saves time, but a blocked message has then cost an answer. Default: no, the model
   * is asked once `input` has returned.
   */
  beside?: boolean;
  /** How long one judgement may take, in milliseconds. Then the run ends as `error`. Default: 10,000. */
  timeoutMs?: number;
}

const OPTIONS: OptionKinds<GuardrailOptions> = {
  name: "string",
  input: "function",
  output: "function",
  every: COUNT,
  beside: "boolean",
  timeoutMs: COUNT,
};

const TIMEOUT_MS = 10_000;

/**
 * Makes a hook that judges the user's messages before the model reads them, and the model's answers before a
 * reader gets them. Text of an answer that it blocks or replaces is in no stream, no page and no log.
 *
 * It fails closed: if it throws, takes too long or returns anything else, the run ends as `error`, and
 * nothing more of the part is shown. Judge by code, or ask a small model with `context.askModel()`, which
 * counts towards the run's limits.
 *
 * @throws PawlError `config` for unknown, missing and invalid options.
 *
 * @example
 * ```ts
 * import { agent, guardrail, memoryStore, runtime } from "@pawl/core";
 * import { strictModel } from "@pawl/testing";
 *
 * const polite = guardrail({
 *   input: ({ text }) => (/password/i.test(text) ? { block: "Please do not send passwords." } : undefined),
 *   output: ({ kind, text }) =>
 *     kind === "text" ? { replace: text.replaceAll(/\d{4,}/g, "****") } : undefined,
 *   every: 40,
 * });
 * const model = strictModel({ script: [{ text: "Your code is 123456." }] });
 * const pawl = runtime({
 *   agents: [agent({ name: "a", model, instructions: "Help.", hooks: [polite] })],
 *   store: memoryStore(),
 * });
 * const { text } = await pawl.run("a", { userId: "u", input: "My code?" }).result;
 * console.log(text); // Your code is ****.
 * const { stop } = await pawl.run("a", { userId: "u", input: "My password is x" }).result;
 * console.log(stop.type, stop.message); // blocked Please do not send passwords.
 * ```
 */
export function guardrail<Deps = unknown>(options: GuardrailOptions<Deps>): Hook<Deps> {
  checkOptions("guardrail()", options, OPTIONS);
  const { name = "guardrail", input, output, every, beside = false, timeoutMs = TIMEOUT_MS } = options;
  if (input === undefined && output === undefined)
    throw new PawlError("config", "guardrail() judges nothing: it needs `input` or `output`.");
  if (every !== undefined && output === undefined)
    throw new PawlError("config", "`every` of guardrail() needs `output`, which is missing.");
  if (beside && input === undefined)
    throw new PawlError("config", "`beside` of guardrail() needs `input`, which is missing.");
  // The messages that each leg has let pass, by the leg's session.
  const seen = new WeakMap<object, Set<number>>();
  const judgeInput = async (context: RunContext<Deps>): Promise<RunStop | undefined> => {
    const judged = seen.get(context.session) ?? new Set();
    seen.set(context.session, judged);
    for (const message of await context.newMessages()) {
      if (judged.has(message.seq)) continue;
      const verdict = await input?.(message, context);
      if (verdict !== undefined && verdict !== null)
        return { stop: blocked(verdict, "input"), hide: [message.seq] };
      judged.add(message.seq);
    }
    return undefined;
  };
  const isInputFirst = input !== undefined && !beside;
  const isBeside = input !== undefined && beside;
  return {
    name,
    timeoutMs,
    // Without `output`, only the beginning of an answer is held back.
    ...(output === undefined ? { every: 1 } : every !== undefined && { every }),
    ...(isInputFirst && {
      beforeTurn: (_plan, context) => judgeInput(context),
      // A message may arrive after `beforeTurn`.
      beforeModel: (_call, context) => judgeInput(context),
    }),
    ...((isBeside || output !== undefined) && {
      duringModel: (part, context) => {
        if (part.kind === "start") return isBeside ? judgeInput(context) : undefined;
        return output && judgedPart(part, output(part, context));
      },
    }),
  };
}

/** Returns what a verdict about a part means for the answer. */
async function judgedPart(
  { kind }: AnswerPart,
  pending: Awaitable<{ block: string } | { replace: Json } | undefined>,
): Promise<AnswerChange | undefined> {
  const verdict: unknown = await pending;
  if (verdict === undefined || verdict === null) return undefined;
  if (typeof verdict !== "object" || "block" in verdict || !("replace" in verdict))
    return { stop: blocked(verdict, "output") };
  const { replace } = verdict as { replace: Json };
  return kind === "text" || kind === "thinking" ? { text: replace as string } : { value: replace };
}

/** Returns the stop reason for a verdict. @throws Error for anything else than a `block` with a sentence */
function blocked(verdict: unknown, by: "input" | "output"): RunStop["stop"] {
  const { block } = Object(verdict);
  if (typeof block !== "string" || block.trim() === "") {
    const rest = by === "input" ? 'or { block: "a sentence" }' : '{ block: "a sentence" } or { replace }';
    throw new Error(`\`${by}\` must return nothing, ${rest}; got ${shapeOf(verdict)}.`);
  }
  return { type: "blocked", message: block };
}
