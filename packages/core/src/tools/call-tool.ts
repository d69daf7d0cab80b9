import { checkNumbers } from "../base/check-numbers.ts";
import { checkOptions, kindOf, type OptionKinds, SIGNAL } from "../base/check-options.ts";
import { type Clock, LONGEST_TIMER_MS, systemClock } from "../base/clock.ts";
import { withinDeadline } from "../base/deadline.ts";
import { messageOf, PawlError } from "../base/errors.ts";
import { hideTextsOf } from "../base/hide-texts.ts";
import type { Json } from "../base/json.ts";
import { isDeeperThan, MAX_DEPTH } from "../base/json-depth.ts";
import { randomId } from "../base/random-id.ts";
import { anySignal } from "../base/signals.ts";
import { isBlank } from "../base/text.ts";
import { type Schema, validate } from "../schema/schema.ts";
import { outcomeUnknown } from "../session/close-calls.ts";
import { errorCodeOf } from "./call-report.ts";
import type { CallSettings, CallToolOptions, ToolCallOutcome } from "./call-tool-types.ts";
import { formatForModel } from "./format-result.ts";
import { type OutsideContext, outsideContext } from "./outside-context.ts";
import { checkedResult, LostResult } from "./result-loss.ts";
import type { Tool } from "./tool.ts";
import { inputMismatch, literalResult, tookTooLong } from "./tool-outcome.ts";

type AnySettings = CallSettings & { deps?: unknown };

const OPTIONS: OptionKinds<AnySettings> = {
  userId: "string!",
  deps: "any",
  caller: "object",
  credentials: "any",
  params: "object",
  idempotencyKey: "string",
  callId: "string",
  signal: SIGNAL,
  timeoutMs: "number",
  clock: "object",
};

const INSTEAD = {
  key: "Use `idempotencyKey`.",
  user: "Use `userId`.",
  abortSignal: "Use `signal`.",
  timeout: "Use `timeoutMs`.",
};

/**
 * Calls a tool outside of a run, e.g. to serve it over HTTP. The input is validated and the time limited as
 * in a run. A failed call does not throw: its outcome says why it failed. Hooks are not called, and nothing
 * is stored.
 *
 * The tool's context has no session:
 *
 * - `sessionId` and `runId` are empty.
 * - `append()`, `emit()`, `ask()`, `wait()`, `read()`, `askModel()`, `createArtifact()`, `artifact()`,
 *   `completeSession()` and `setMode()` throw.
 * - Facts that the tool passes to `report()` are in the outcome.
 * - `progress()` does nothing.
 *
 * @throws PawlError `config` for invalid options, and for a tool that asks the user or was made by
 * `agentTool()`: both need a session.
 *
 * @example
 * ```ts
 * import { type ToolContext, tool } from "@pawl/core";
 * import { callTool } from "@pawl/core/tools";
 * import * as z from "zod";
 *
 * const ranks = new Map([["ada", "Champion II"]]);
 * const getRank = tool({
 *   name: "get_rank",
 *   description: "Returns the user's rank in a playlist.",
 *   input: z.object({ playlist: z.string() }),
 *   execute: ({ playlist }, { deps, userId }: ToolContext<typeof ranks>) =>
 *     `${playlist}: ${deps.get(userId)}`,
 * });
 *
 * const done = await callTool(getRank, { playlist: "duel" }, { userId: "ada", deps: ranks });
 * if (done.success) console.log(done.result); // duel: Champion II
 *
 * const wrong = await callTool(getRank, {}, { userId: "ada", deps: ranks });
 * if (!wrong.success) console.log(wrong.failure); // invalid_input
 * ```
 */
export async function callTool<Deps = unknown>(
  tool: Tool<Deps>,
  input: unknown,
  options: CallToolOptions<Deps>,
): Promise<ToolCallOutcome> {
  const settings = options as AnySettings;
  checkToolCall(tool, settings);
  const hide = hideTextsOf(settings.credentials);
  const timeUp = new AbortController();
  // The time limit's signal comes first, so that its reason counts if both abort. A run's context does the
  // same.
  const signal = settings.signal === undefined ? timeUp.signal : anySignal([timeUp.signal, settings.signal]);
  const outside = outsideContext(tool.name, settings, signal, randomId);
  try {
    const outcome = await withinCallTime(tool, settings, timeUp, validateAndRun(tool, input, outside));
    return hide({ ...outcome, report: outside.report() });
  } finally {
    outside.close();
  }
}

/** An outcome without its report. */
type Unreported =
  | Omit<Extract<ToolCallOutcome, { success: true }>, "report">
  | Omit<Extract<ToolCallOutcome, { success: false }>, "report">;

/** Validates the input and runs the tool. Never rejects. */
async function validateAndRun(
  tool: Tool<never>,
  input: unknown,
  { context }: OutsideContext,
): Promise<Unreported> {
  try {
    // Validators are recursive, so a deep input would overflow the stack.
    const checked = isDeeperThan(input, MAX_DEPTH)
      ? { ok: false as const, problems: ["it is nested too deeply"] }
      : await validate(tool.input as Schema, input);
    if (!checked.ok)
      return { success: false, failure: "invalid_input", message: inputMismatch(checked.problems) };
    if (context.signal.aborted) throw context.signal.reason;
    const result = jsonOf(await tool.execute?.(checked.value, context));
    const content = formatForModel(tool as Tool, result);
    return { success: true, result, ...(content !== undefined && { content }) };
  } catch (cause) {
    const message = messageOf(cause);
    const code = errorCodeOf(cause);
    return {
      success: false,
      failure: "failed",
      message: isBlank(message) ? "It failed without an error message." : message,
      ...(code !== undefined && { code }),
    };
  }
}

/** Returns a result as JSON. @throws LostResult if JSON would lose a part of it */
function jsonOf(value: unknown): Json {
  const json = literalResult(value);
  if (json !== undefined) return json;
  const checked = checkedResult(value);
  if ("loss" in checked) throw new LostResult(checked.loss);
  return checked.json;
}

/**
 * Returns the outcome of `work`. Once the time is over or the caller aborts, abandons the tool and returns a
 * failure.
 */
async function withinCallTime(
  tool: Tool<never>,
  {
    signal,
    timeoutMs: defaultMs,
    clock = systemClock,
  }: { signal?: AbortSignal; timeoutMs?: number; clock?: Clock },
  timeUp: AbortController,
  work: Promise<Unreported>,
): Promise<Unreported> {
  const timeoutMs = tool.timeoutMs ?? defaultMs;
  const onTimeout = () => timeUp.abort(tookTooLong(timeoutMs));
  try {
    return await withinDeadline({ clock, ...(signal && { signal }), timeoutMs, onTimeout }, work);
  } catch {
    const failure = timeUp.signal.aborted ? "timed_out" : "aborted";
    const why = failure === "timed_out" ? "it took too long." : "the caller aborted it before it finished.";
    return { success: false, failure, message: outcomeUnknown(why) };
  }
}

/** Checks the arguments of `callTool()`. @throws PawlError `config` */
function checkToolCall(tool: Tool<never>, settings: AnySettings): void {
  if (typeof Object(Object(tool).input)["~standard"] !== "object")
    throw new PawlError("config", `callTool() needs a tool that tool() has made; got ${kindOf(tool)}.`);
  const whose = `callTool() for "${tool.name}"`;
  checkOptions(whose, settings, OPTIONS, { instead: INSTEAD });
  checkNumbers(whose, { timeoutMs: settings.timeoutMs ?? 1 }, { least: 1, most: LONGEST_TIMER_MS });
  const hasAgent = tool.delegate !== undefined;
  if (!hasAgent && tool.suspends === undefined) return;
  const why = hasAgent ? "an agent does its work" : "it asks the user";
  throw new PawlError("config", `callTool() cannot call "${tool.name}": ${why}, which needs a session.`);
}
