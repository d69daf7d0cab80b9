import { clipText } from "../base/clip-text.ts";
import type { Clock } from "../base/clock.ts";
import type { PawlError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import { anySignal } from "../base/signals.ts";
import { addUsd } from "../base/usd.ts";
import { estimatedChars } from "../context/estimated-chars.ts";
import { sanitize } from "../context/sanitize.ts";
import { textOf } from "../model/content.ts";
import { cutStream } from "../model/failure.ts";
import type { ModelClient, ModelRequest } from "../model/model-client.ts";
import { addUsage, noUsage } from "../model/pricing.ts";
import { type WholeAnswer, wholeAnswer } from "../model/whole-answer.ts";
import { listedProblems } from "../schema/problems.ts";
import { type Schema, validate } from "../schema/schema.ts";
import type { PlannedCall } from "../stop/room.ts";
import type { AskSpent, StoredAnswer } from "../tools/ask-outcome.ts";
import { outputsIn } from "../tools/output-in-answer.ts";
import { type OutputTool, outputTool } from "../tools/output-tool.ts";
import { failed, timeUp, unusableError, withSpent } from "./ask-failures.ts";
import type { AnyAskOptions } from "./ask-options.ts";

/** The outcome of a call: an answer or an error, and in both cases the call's usage and cost. */
export type AskEnd = { spent: AskSpent } & ({ answer: StoredAnswer; output: unknown } | { error: unknown });

/** The dependencies of a call, which differ within a run and outside of runs. */
export interface AskPlace {
  clock: Clock;
  /** Aborts the call. */
  signal: AbortSignal | undefined;
  /** Returns how much time the run has left, in milliseconds. */
  timeLeftMs?: () => number;
  /** For which user the model is asked; absent outside of runs. */
  userId?: string;
  estimateTokens(chars: number): number;
  /** Called before each request. Throws if the request must not be sent. `spent` is the use so far. */
  admit?(call: PlannedCall, spent: AskSpent): void;
  /** Returns the error that ends the call if it has cost too much while its answer streams. */
  overspent?(spent: AskSpent): unknown;
  /** Reports to the application what it has to fix. */
  toFix(error: PawlError): void;
}

/**
 * Asks a model. If its output does not match the schema, asks again, up to `reminders` times. Never rejects.
 */
export async function askAndRemind(
  model: ModelClient,
  options: AnyAskOptions,
  place: AskPlace,
): Promise<AskEnd> {
  const spent: AskSpent = { model: model.id, usage: noUsage, costUsd: 0 };
  const limit = timeLimitOf(options, place);
  try {
    const { signal, abort } = limit;
    return { spent, ...(await answerTo(model, options, { ...place, signal, abort }, spent)) };
  } catch (cause) {
    const { aborted, reason } = limit.signal;
    // Was aborted by the caller or the run: returns the signal's own reason.
    if (aborted && reason !== limit.ownReason()) return { spent, error: reason };
    return { spent, error: withSpent(aborted ? reason : cause, spent) };
  } finally {
    limit.clear();
  }
}

/**
 * Returns a signal that aborts with the given ones, after `timeoutMs`, or by `abort`. `clear` cancels the
 * timer. `ownReason` returns the reason if it is neither of a given signal.
 */
function timeLimitOf({ signal, timeoutMs }: AnyAskOptions, place: AskPlace) {
  const control = new AbortController();
  const { clock } = place;
  const clear =
    timeoutMs === undefined
      ? () => undefined
      : clock.after(timeoutMs, () => control.abort(timeUp(timeoutMs)));
  const givenSignals = [place.signal, signal].filter((one) => one !== undefined);
  return {
    signal: anySignal([...givenSignals, control.signal]),
    clear,
    abort: (reason: unknown) => control.abort(reason),
    ownReason: () => control.signal.reason,
  };
}

/** Sends requests until an answer is valid. Throws if none is. Adds the usage of each to `spent`. */
async function answerTo(model: ModelClient, options: AnyAskOptions, place: Abortable, spent: AskSpent) {
  const { schema, schemaName = "answer", schemaDescription = DESCRIPTION, reminders = 1 } = options;
  const tool =
    schema === undefined
      ? undefined
      : outputTool(schema as Schema, schemaName, schemaDescription, "`schema` of askModel()");
  let request = askRequest(model, options, tool);
  for (let remindersLeft = reminders; ; remindersLeft -= 1) {
    const response = await send(model, request, place, spent);
    const text = textOf(response.content);
    const answer = { text, stop_reason: response.stopReason ?? "" };
    if (tool === undefined) return { answer, output: undefined };
    const checked = await checkedOutput(response, tool, schema as Schema);
    if ("value" in checked) return { answer: { ...answer, output: checked.value }, output: checked.output };
    if (remindersLeft <= 0) throw unusableError("mismatch", `${model.id} ${checked.problem}`);
    request = reminded(request, response, checked.problem);
  }
}

type Abortable = AskPlace & { signal: AbortSignal; abort(reason: unknown): void };

const DESCRIPTION = "Takes your answer.";

/** Sends one request. Throws if it failed, was refused or was cut off. Adds its usage to `spent`. */
async function send(model: ModelClient, request: ModelRequest, place: Abortable, spent: AskSpent) {
  const { signal, timeLeftMs, userId, estimateTokens } = place;
  const estimatedTokens = estimateTokens(charsOf(request));
  const { maxTokens } = request;
  place.admit?.({ estimatedTokens, maxTokens, pricing: model.pricing }, spent);
  const estimates = { estimatedTokens, estimateTokens };
  const before = { ...spent };
  const onUse = ({ usage, costUsd }: Pick<WholeAnswer, "usage" | "costUsd">) => {
    spent.usage = addUsage(before.usage, usage);
    spent.costUsd = addUsd(before.costUsd, costUsd);
    const error = place.overspent?.(spent);
    if (error !== undefined) place.abort(error);
  };
  const asked = await wholeAnswer(model, request, { signal, timeLeftMs, userId, estimates, onUse });
  spent.model = asked.model;
  spent.usage = addUsage(before.usage, asked.usage);
  spent.costUsd = addUsd(before.costUsd, asked.costUsd);
  asked.toFix.forEach(place.toFix);
  if (asked.failure !== undefined) throw failed(asked.failure.cause, signal);
  const { stopReason } = asked;
  if (stopReason === null) throw cutStream();
  if (stopReason === "refusal") throw unusableError(stopReason, `${asked.model} refused to answer.`);
  if (stopReason === "max_tokens")
    throw unusableError(
      stopReason,
      `The answer of ${asked.model} was cut off at ${maxTokens} tokens. Raise \`maxTokens\`.`,
    );
  if (!COMPLETE.has(stopReason))
    throw unusableError(stopReason, `The answer of ${asked.model} is not complete (${stopReason}).`);
  return asked;
}

/** The stop reasons of complete answers. */
const COMPLETE: ReadonlySet<string> = new Set(["end_turn", "stop_sequence", "tool_use"]);

function charsOf({ system, tools, messages }: ModelRequest): number {
  const contents = messages.map(({ content }) => content);
  return JSON.stringify([system, tools]).length + estimatedChars(contents, JSON.stringify(contents));
}

function askRequest(
  model: ModelClient,
  { system, prompt, messages, maxTokens = 4096 }: AnyAskOptions,
  tool: OutputTool | undefined,
): ModelRequest {
  const isForced = model.forcedToolChoice === true;
  const instruction = tool === undefined || isForced ? undefined : instructionToCall(tool);
  const conversation = messages ?? [{ role: "user", content: [{ type: "text", text: prompt ?? "" }] }];
  return {
    system: [system, instruction].flatMap((text) => (text ? [{ type: "text" as const, text }] : [])),
    tools: tool === undefined ? [] : [tool.spec],
    messages: [...conversation],
    maxTokens,
    ...(tool &&
      isForced && { toolChoice: { type: "tool", name: tool.spec.name, disable_parallel_tool_use: true } }),
  };
}

function instructionToCall({ spec: { name } }: OutputTool): string {
  return `Answer with one call of ${name}. If you cannot call tools, answer with nothing but its input as JSON.`;
}

/** The output as the model wrote it (`value`) and as the schema parsed it, or the problem with it. */
type CheckedOutput = { value: Json; output: unknown } | { problem: string };

/** Returns the first valid output in an answer, or the problem with the first output. */
async function checkedOutput(
  response: WholeAnswer,
  tool: OutputTool,
  schema: Schema,
): Promise<CheckedOutput> {
  if (response.isBroken) return { problem: "called the tool with an input that is not a JSON object." };
  const found = outputsIn(response.content, tool);
  const { name } = tool.spec;
  let problems: string[] | undefined;
  for (const value of found) {
    const checked = await validate(schema, value);
    if (checked.ok) return { value, output: checked.value };
    problems ??= checked.problems;
  }
  if (problems === undefined)
    return { problem: `gave no output: neither a call of ${name} nor JSON in the text.` };
  return { problem: `gave an output that does not match the schema: ${listedProblems(problems)}` };
}

/**
 * Adds the model's output and its problem to the last message. The output is not sent back as the model's own
 * message, because thinking and calls would need the form that each API requires.
 */
function reminded(request: ModelRequest, { content }: WholeAnswer, problem: string): ModelRequest {
  const written = content.filter(({ type }) => type === "text" || type === "tool_use");
  const quoted = sanitize(clipText(JSON.stringify(written), 4_000), { tags: ["your_answer"] });
  const text = `<your_answer>\n${quoted}\n</your_answer>\nYou ${problem} Answer again.`;
  const last = request.messages.at(-1) as ModelRequest["messages"][number];
  const message = { ...last, content: [...last.content, { type: "text" as const, text }] };
  return { ...request, messages: [...request.messages.slice(0, -1), message] };
}
