import { clipText } from "../base/clip-text.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf, PawlError } from "../base/errors.ts";
import { type Json, toJson } from "../base/json.ts";
import { anySignal } from "../base/signals.ts";
import { addUsd } from "../base/usd.ts";
import { estimatedChars } from "../context/estimated-chars.ts";
import { sanitize } from "../context/sanitize.ts";
import { textOf } from "../model/content.ts";
import { cutStream, failureOf } from "../model/failure.ts";
import type { ModelClient, ModelRequest } from "../model/model-client.ts";
import { addUsage, noUsage } from "../model/pricing.ts";
import { type WholeAnswer, wholeAnswer } from "../model/whole-answer.ts";
import { listedProblems } from "../schema/problems.ts";
import { type Schema, validate } from "../schema/schema.ts";
import type { PlannedCall } from "../stop/room.ts";
import type { AskSpent, StoredAnswer } from "../tools/ask-outcome.ts";
import { outputsIn } from "../tools/output-in-answer.ts";
import { type OutputTool, outputTool } from "../tools/output-tool.ts";
import type { AnyAskOptions } from "./ask-options.ts";

/** The outcome of a call: an answer or an error, and in both cases what the call has used. */
export type AskEnd = { spent: AskSpent } & ({ answer: StoredAnswer; output: unknown } | { error: unknown });

/** What a call needs from where it is made: within a run or outside. */
export interface AskPlace {
  clock: Clock;
  /** Aborts the call. */
  signal: AbortSignal | undefined;
  timeLeftMs?: () => number;
  estimateTokens(chars: number): number;
  /** Called before each request. Throws if the request must not be sent. `spent` is the use so far. */
  admit?(call: PlannedCall, spent: AskSpent): void;
}

/**
 * Asks a model, and again, up to `reminders` times, if its output does not match the schema. Never rejects.
 */
export async function askAndRemind(
  model: ModelClient,
  options: AnyAskOptions,
  place: AskPlace,
): Promise<AskEnd> {
  const spent: AskSpent = { model: model.id, usage: noUsage, costUsd: 0 };
  const limit = timeLimitOf(options, place);
  try {
    return { spent, ...(await answerTo(model, options, { ...place, signal: limit.signal }, spent)) };
  } catch (cause) {
    const { aborted, reason } = limit.signal;
    // An abort rejects with the signal's own reason, as everywhere.
    if (aborted && reason !== limit.timeUp()) return { spent, error: reason };
    return { spent, error: withSpent(aborted ? reason : cause, spent) };
  } finally {
    limit.clear();
  }
}

function timeLimitOf({ signal, timeoutMs }: AnyAskOptions, place: AskPlace) {
  const control = new AbortController();
  const { clock } = place;
  const clear =
    timeoutMs === undefined
      ? () => undefined
      : clock.after(timeoutMs, () => control.abort(timeUp(timeoutMs)));
  const given = [place.signal, signal].filter((one) => one !== undefined);
  return { signal: anySignal([...given, control.signal]), clear, timeUp: () => control.signal.reason };
}

async function answerTo(model: ModelClient, options: AnyAskOptions, place: Inner, spent: AskSpent) {
  const { schema, schemaName = "answer", schemaDescription = DESCRIPTION, reminders = 1 } = options;
  const tool =
    schema === undefined
      ? undefined
      : outputTool(schema as Schema, schemaName, schemaDescription, "`schema` of askModel()");
  let request = askRequest(model, options, tool);
  for (let left = reminders; ; left -= 1) {
    const asked = await send(model, request, place, spent);
    const text = textOf(asked.content);
    const answer = { text, stop_reason: asked.stopReason ?? "" };
    if (tool === undefined) return { answer, output: undefined };
    const read = await checkedOutput(asked, tool, schema as Schema);
    if ("value" in read) return { answer: { ...answer, output: read.value }, output: read.output };
    if (left <= 0) throw unusable("mismatch", `${model.id} ${read.problem}`);
    request = reminded(request, asked, read.problem);
  }
}

type Inner = AskPlace & { signal: AbortSignal };

const DESCRIPTION = "Takes your answer.";

/** Sends one request. Throws if the answer cannot be used, whatever the schema. */
async function send(model: ModelClient, request: ModelRequest, place: Inner, spent: AskSpent) {
  const { signal, timeLeftMs, estimateTokens } = place;
  const estimatedTokens = estimateTokens(charsOf(request));
  const { maxTokens } = request;
  place.admit?.({ estimatedTokens, maxTokens, pricing: model.pricing }, spent);
  const estimates = { estimatedTokens, estimateTokens };
  const asked = await wholeAnswer(model, request, { signal, timeLeftMs, estimates });
  spent.model = asked.model;
  spent.usage = addUsage(spent.usage, asked.usage);
  spent.costUsd = addUsd(spent.costUsd, asked.costUsd);
  if (asked.failure !== undefined) throw failed(asked.failure.cause, signal);
  const { stopReason } = asked;
  if (stopReason === null) throw cutStream();
  if (stopReason === "refusal") throw unusable(stopReason, `${asked.model} refused to answer.`);
  if (stopReason === "max_tokens")
    throw unusable(
      stopReason,
      `The answer of ${asked.model} was cut off at ${maxTokens} tokens. Raise \`maxTokens\`.`,
    );
  if (!COMPLETE.has(stopReason))
    throw unusable(stopReason, `The answer of ${asked.model} is not complete (${stopReason}).`);
  return asked;
}

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
  const asking = tool === undefined || isForced ? undefined : askingFor(tool);
  const conversation = messages ?? [{ role: "user", content: [{ type: "text", text: prompt ?? "" }] }];
  return {
    system: [system, asking].flatMap((text) => (text ? [{ type: "text" as const, text }] : [])),
    tools: tool === undefined ? [] : [tool.spec],
    messages: [...conversation],
    maxTokens,
    ...(tool &&
      isForced && { toolChoice: { type: "tool", name: tool.spec.name, disable_parallel_tool_use: true } }),
  };
}

function askingFor({ spec: { name } }: OutputTool): string {
  return `Answer with one call of ${name}. If you cannot call tools, answer with nothing but its input as JSON.`;
}

type Read = { value: Json; output: unknown } | { problem: string };

async function checkedOutput(asked: WholeAnswer, tool: OutputTool, schema: Schema): Promise<Read> {
  if (asked.isBroken) return { problem: "called the tool with an input that is not a JSON object." };
  const found = outputsIn(asked.content, tool);
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
  const message = { ...last, content: [...last.content, { type: "text", text }] };
  return { ...request, messages: [...request.messages.slice(0, -1), message] };
}

/** The error for an answer that cannot be used. */
export function unusable(reason: string, message: string): PawlError {
  return new PawlError("unusable_answer", message, { details: { reason } });
}

/** The error for a call that has taken too long. */
export function timeUp(timeoutMs: number): PawlError {
  const details = { type: "timeout", retryable: true };
  return new PawlError("model_error", `The model has not answered within ${timeoutMs} ms.`, { details });
}

/**
 * Returns the error for a request that failed. Anything that a model client throws counts as a failure of the
 * model.
 */
export function failed(cause: unknown, signal: AbortSignal): unknown {
  if (signal.aborted && cause === signal.reason) return cause;
  const details = { ...(failureOf(cause) ?? { retryable: false }) };
  return new PawlError("model_error", messageOf(cause), { cause, details });
}

/** Adds the usage and cost of a call to its error, if that is a PawlError. */
export function withSpent(error: unknown, { model, usage, costUsd }: AskSpent): unknown {
  if (!PawlError.is(error)) return error;
  const details = { ...error.details, model, usage: toJson(usage), costUsd };
  return new PawlError(error.code, error.message, { cause: error.cause, details });
}
