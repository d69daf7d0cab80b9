import { microsFromUsd, usdFromMicros } from "../base/usd.ts";
import { type AnswerLimit, type Budget, nothingSpent, type Resource } from "../log/budget.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { Pricing, TokenPrices } from "../model/pricing.ts";
import { limitStop, type Remaining } from "./limits.ts";

/** A planned model call. */
export interface PlannedCall {
  estimatedTokens: number;
  maxTokens: number;
  /** `undefined` if the model has no prices. */
  pricing: Pricing | undefined;
}

/** The longest answer that is allowed, in tokens, and the limit that shortens it, if any. */
interface Room {
  maxTokens: number;
  limitedBy?: AnswerLimit;
}

/** The shortest useful answer, in tokens. */
const SHORTEST_ANSWER = 256;

/** The reserve for a last turn: a prompt 1.5 times as long as the planned one, and 1,024 answer tokens. */
const LANDING_TURN = { promptShare: 1.5, answerTokens: 1_024 };

/**
 * Returns how long an answer may be within the limits, or a stop reason if there is no room for an answer.
 * The prompt counts with its estimated tokens at the highest possible price, because the real usage is not
 * known yet. With `keepLast`, leaves room for one more turn.
 */
export function roomFor(left: Remaining, call: PlannedCall, keepLast: boolean): Room | StopReason {
  const { inputTokens, outputTokens, costUsd } = left.amounts;
  // A cost limit cannot be enforced for a model without prices.
  if (call.pricing === undefined && Number.isFinite(costUsd)) {
    return limitStop(left, "costUsd", "cannot be kept, because this model has no price");
  }
  const shortest = Math.min(SHORTEST_ANSWER, call.maxTokens);
  const lastTurn = keepLast ? lastCall(call) : undefined;
  if (inputTokens < call.estimatedTokens + (lastTurn?.estimatedTokens ?? 0))
    return noRoomStop(left, "inputTokens");
  const byTokens = outputTokens - (lastTurn?.maxTokens ?? 0);
  if (byTokens < shortest) return noRoomStop(left, "outputTokens");
  const reservedMicros = lastTurn === undefined ? 0 : microsOf(lastTurn);
  const byCost = affordableTokens(microsFromUsd(costUsd) - reservedMicros, call);
  if (byCost < shortest) return noRoomStop(left, "costUsd");
  const allowed = Math.floor(Math.min(byTokens, byCost));
  if (allowed > call.maxTokens) return { maxTokens: call.maxTokens };
  return { maxTokens: allowed, limitedBy: byTokens <= byCost ? "outputTokens" : "costUsd" };
}

/** Returns the stop reason for a resource of which too little is left for another answer. */
export function noRoomStop(left: Remaining, resource: Resource): StopReason {
  return limitStop(left, resource, "leaves no room for another answer");
}

/** Returns the model call of the last turn for which something is reserved, after the given call. */
function lastCall({ estimatedTokens, maxTokens, pricing }: PlannedCall): PlannedCall {
  return {
    estimatedTokens: Math.ceil(estimatedTokens * LANDING_TURN.promptShare),
    maxTokens: Math.min(LANDING_TURN.answerTokens, maxTokens),
    pricing,
  };
}

/** Returns how many tokens of an answer `micros` millionths of a dollar can pay for, besides the prompt. */
function affordableTokens(micros: number, call: PlannedCall): number {
  if (call.pricing === undefined) return Number.POSITIVE_INFINITY;
  const forAnswer = micros - microsOf({ ...call, maxTokens: 0 });
  if (forAnswer < 0) return 0;
  const { output } = priceOf(call);
  return output === 0 ? Number.POSITIVE_INFINITY : Math.floor(forAnswer / output);
}

/** Returns the most that a call may use of each resource. */
export function mostUsedBy(call: PlannedCall): Budget {
  const { estimatedTokens, maxTokens } = call;
  const costUsd = usdFromMicros(Math.ceil(microsOf(call)));
  return { ...nothingSpent, inputTokens: estimatedTokens, outputTokens: maxTokens, costUsd };
}

/** Returns the highest cost of a call, in millionths of a dollar: tokens × dollars per million tokens. */
function microsOf(call: PlannedCall): number {
  if (call.pricing === undefined) return 0;
  const { input, cacheWrite5m, cacheWrite1h, output } = priceOf(call);
  const perToken = Math.max(input, cacheWrite5m, cacheWrite1h);
  return call.estimatedTokens * perToken + call.maxTokens * output;
}

/** Returns the prices of a call: those for long prompts, if the model has such prices and they apply. */
function priceOf({ pricing, estimatedTokens }: PlannedCall): TokenPrices {
  const { longPrompt, ...short } = pricing as Pricing;
  return longPrompt !== undefined && estimatedTokens > longPrompt.above ? longPrompt : short;
}
