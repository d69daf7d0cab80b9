import type { JsonObject } from "../base/json.ts";
import { centsFromUsd, subtractUsd, usdFromCents } from "../base/usd.ts";
import {
  addSpent,
  type Budget,
  eachResource,
  nothingSpent,
  type Resource,
  resources,
  restOfBudget,
} from "../log/budget.ts";
import type { NewEvent } from "../log/event.ts";
import type { StopReason } from "../log/stop-reason.ts";
import { storedAnswerLimit } from "../log/stored-budget.ts";
import { promptTokens } from "../model/pricing.ts";
import { openRun, type RunState, type SessionState } from "../session/state.ts";

/** The limits of an agent. */
export interface Limited {
  readonly limits: Readonly<Budget>;
  readonly sessionLimits: Readonly<Budget>;
}

/** The remaining amount of each resource, and the budget that limits it. */
export interface Remaining {
  amounts: Budget;
  /**
   * Returns the limit on a resource that will be reached first, and whether it applies to the request (the
   * run) or to the conversation (the session).
   */
  scopeOf(resource: Resource): { limit: number; of: "request" | "conversation" };
}

/**
 * Returns what the open run, or a run that starts now, may still use: for each resource the smaller of the
 * run's and the session's remainder. `legMs` is the time of the current leg in milliseconds.
 */
export function remainingOf(
  state: SessionState,
  { limits, sessionLimits }: Limited,
  legMs: number,
): Remaining {
  const run = openRun(state);
  const spent = run === undefined ? nothingSpent : spentOf(run, legMs);
  const ofRun = restOfBudget(limits, spent);
  const ofSession = restOfBudget(sessionLimits, addSpent(state.spent, spent));
  const amounts = eachResource((one) => Math.min(ofRun[one], ofSession[one]));
  const scopeOf: Remaining["scopeOf"] = (resource) =>
    ofSession[resource] < ofRun[resource]
      ? { limit: sessionLimits[resource], of: "conversation" }
      : { limit: limits[resource], of: "request" };
  return { amounts, scopeOf };
}

/** Subtracts what the events charge, which are not in the state yet. Returns the same object. */
export function leftAfter(left: Remaining, charged: readonly NewEvent[]): Remaining {
  for (const event of charged) {
    if (event.type !== "llm_response") continue;
    const { tokens, cost_cents } = event.data;
    left.amounts.inputTokens -= tokens.total - tokens.completion;
    left.amounts.outputTokens -= tokens.completion;
    left.amounts.costUsd = subtractUsd(left.amounts.costUsd, usdFromCents(cost_cents));
  }
  return left;
}

/**
 * Returns a stop reason if a resource has no more than its `reserve` left; `undefined` otherwise. A resource
 * that `reserve` leaves out has a reserve of 0. Without the argument, that of tool calls is -1: one call too
 * many reaches the limit, so the model can still read the result of the last allowed call.
 */
export function limitReached(
  left: Remaining,
  reserve: Partial<Budget> = { toolCalls: -1 },
): StopReason | undefined {
  const resource = resources.find((one) => left.amounts[one] <= (reserve[one] ?? 0));
  return resource === undefined ? undefined : limitStop(left, resource);
}

/** How the message of a stop reason ends: nothing is left, too little is left, or the cost is unknown. */
type LimitEnd =
  | "is reached"
  | "leaves no room for another answer"
  | "cannot be kept, because this model has no price";

/** Returns the stop reason for a resource that has reached its limit. */
export function limitStop(
  { scopeOf }: Remaining,
  resource: Resource,
  end: LimitEnd = "is reached",
): StopReason {
  const { limit, of } = scopeOf(resource);
  return {
    type: stopTypes[resource],
    message: `I stopped here: ${limitWords[resource](limit)} for one ${of} ${end}.`,
  };
}

/**
 * Returns the limit that has caused a stop reason, in the form of the log, with money in US cents. Returns
 * `{}` if no limit with this stop type is set.
 */
export function limitDetails({ type }: StopReason, { amounts, scopeOf }: Remaining): JsonObject {
  const limited = resources.filter((one) => stopTypes[one] === type && Number.isFinite(scopeOf(one).limit));
  // Two limits have the type `token_limit`. The one with the smaller share left was reached.
  const share = (one: Resource) => amounts[one] / scopeOf(one).limit;
  const [resource] = limited.sort((a, b) => share(a) - share(b));
  if (resource === undefined) return {};
  const { limit, of } = scopeOf(resource);
  if (resource === "costUsd") {
    const spent = centsFromUsd(subtractUsd(limit, amounts.costUsd));
    return { resource: storedAnswerLimit(resource), limit: centsFromUsd(limit), spent, of };
  }
  return { resource, limit, spent: limit - amounts[resource], of };
}

const stopTypes: { readonly [resource in Resource]: StopReason["type"] } = {
  turns: "turn_limit",
  wallClockMs: "deadline",
  toolCalls: "tool_call_limit",
  inputTokens: "token_limit",
  outputTokens: "token_limit",
  costUsd: "cost_limit",
};

/** Words for the limit on a resource, in messages for the user. */
const limitWords: { readonly [resource in Resource]: (limit: number) => string } = {
  turns: (limit) => `the limit of ${limit} steps`,
  wallClockMs: (limit) => `the time limit of ${Math.round(limit / 100) / 10} s`,
  toolCalls: (limit) => `the limit of ${limit} tool calls`,
  inputTokens: () => "the limit on text that I can read",
  outputTokens: () => "the limit on text that I can write",
  costUsd: () => "the cost limit",
};

/**
 * Returns what a run has used so far. `legMs` is the time of the current leg in milliseconds; it is added to
 * the time of earlier legs.
 */
export function spentOf(run: Readonly<RunState>, legMs: number): Budget {
  return {
    turns: run.turns,
    wallClockMs: run.work.ms + legMs,
    toolCalls: run.calls.length,
    inputTokens: promptTokens(run.usage),
    outputTokens: run.usage.outputTokens,
    costUsd: run.costUsd,
  };
}
