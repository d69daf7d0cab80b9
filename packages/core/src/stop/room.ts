import { microsFromUsd } from "../base/usd.ts";
import type { AnswerLimit, Resource } from "../log/budget.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { Pricing } from "../model/pricing.ts";
import { limitStop, type Remaining } from "./limits.ts";

/** A model call as it is planned. */
export interface PlannedCall {
  estimatedTokens: number;
  maxTokens: number;
  /** Absent: the call costs nothing that is counted. */
  pricing: Pricing | undefined;
}

/** The longest answer that is allowed, and the limit that shortens it, if any. */
export interface Room {
  maxTokens: number;
  limitedBy?: AnswerLimit;
}

/** Fewer tokens than these are no answer. */
const SHORTEST_ANSWER = 256;

/**
 * What is kept for a last turn: a prompt half as long again as this one, and an answer of this many tokens.
 */
const LAST = { promptShare: 1.5, answerTokens: 1_024 };

/**
 * How long the answer may be, so that no limit is passed; a reason to stop if there is no room for one. Usage
 * arrives too late to decide by, so the prompt counts with its estimate, at the highest price that it can
 * have. With `keepLast` room for one more turn is left over.
 */
export function roomFor(left: Remaining, call: PlannedCall, keepLast: boolean): Room | StopReason {
  const { inputTokens, outputTokens, costUsd } = left.amounts;
  // What has no price cannot be kept within a limit on cost.
  if (call.pricing === undefined && Number.isFinite(costUsd)) {
    return limitStop(left, "costUsd", "cannot be kept, because this model has no price");
  }
  const shortest = Math.min(SHORTEST_ANSWER, call.maxTokens);
  const last = keepLast ? lastCall(call) : undefined;
  if (inputTokens < call.estimatedTokens + (last?.estimatedTokens ?? 0))
    return noRoomStop(left, "inputTokens");
  const byTokens = outputTokens - (last?.maxTokens ?? 0);
  if (byTokens < shortest) return noRoomStop(left, "outputTokens");
  const affordable = answerFor(microsFromUsd(costUsd) - (last === undefined ? 0 : microsOf(last)), call);
  if (affordable < shortest) return noRoomStop(left, "costUsd");
  const allowed = Math.floor(Math.min(byTokens, affordable));
  if (allowed > call.maxTokens) return { maxTokens: call.maxTokens };
  return { maxTokens: allowed, limitedBy: byTokens <= affordable ? "outputTokens" : "costUsd" };
}

/** The typed end for a resource of which some is left, and less than another answer needs. */
export function noRoomStop(left: Remaining, resource: Resource): StopReason {
  return limitStop(left, resource, "leaves no room for another answer");
}

function lastCall({ estimatedTokens, maxTokens, pricing }: PlannedCall): PlannedCall {
  return {
    estimatedTokens: Math.ceil(estimatedTokens * LAST.promptShare),
    maxTokens: Math.min(LAST.answerTokens, maxTokens),
    pricing,
  };
}

/** The most tokens of an answer that so many millionths of a dollar pay for, beside the prompt. */
function answerFor(micros: number, call: PlannedCall): number {
  if (call.pricing === undefined) return Number.POSITIVE_INFINITY;
  const forAnswer = micros - microsOf({ ...call, maxTokens: 0 });
  if (forAnswer < 0) return 0;
  const { output } = priceOf(call);
  return output === 0 ? Number.POSITIVE_INFINITY : Math.floor(forAnswer / output);
}

/** The most that a call can cost, in millionths of a dollar: dollars per million tokens × tokens. */
function microsOf(call: PlannedCall): number {
  if (call.pricing === undefined) return 0;
  const { input, cacheWrite5m, cacheWrite1h, output } = priceOf(call);
  const perToken = Math.max(input, cacheWrite5m, cacheWrite1h);
  return call.estimatedTokens * perToken + call.maxTokens * output;
}

function priceOf({ pricing, estimatedTokens }: PlannedCall): Omit<Pricing, "longPrompt"> {
  const { longPrompt, ...short } = pricing as Pricing;
  return longPrompt !== undefined && estimatedTokens > longPrompt.above ? longPrompt : short;
}
