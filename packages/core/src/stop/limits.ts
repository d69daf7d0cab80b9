import { addSpent, type Budget, nothingSpent, type Resource, restOfBudget } from "../log/budget.ts";
import type { StopReason } from "../log/stop-reason.ts";
import { spentOf } from "../session/spent.ts";
import { openRun, type SessionState } from "../session/state.ts";

/** What an agent is limited by. */
export interface Limited {
  readonly limits: Readonly<Budget>;
  readonly sessionLimits: Readonly<Budget>;
}

/** How much is left, and of which of the two budgets the least. */
export interface Remaining {
  amounts: Budget;
  /** The limit that is to be named when it is reached. */
  scopeOf(resource: Resource): { limit: number; of: "request" | "conversation" };
}

/**
 * What the open run, or one to come, may still use up: the lesser of its own rest and the session's, for each
 * resource.
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
  const left = { ...ofRun };
  for (const resource of resources) left[resource] = Math.min(ofRun[resource], ofSession[resource]);
  const scopeOf: Remaining["scopeOf"] = (resource) =>
    ofSession[resource] < ofRun[resource]
      ? { limit: sessionLimits[resource], of: "conversation" }
      : { limit: limits[resource], of: "request" };
  return { amounts: left, scopeOf };
}

const resources: readonly Resource[] = [
  "turns",
  "wallClockMs",
  "toolCalls",
  "inputTokens",
  "outputTokens",
  "costUsd",
];

/**
 * The first resource of which no more than `reserve` is left, as a reason to stop. The last tool call may be
 * made and its result read: only a call too many ends a run.
 */
export function limitReached(
  left: Remaining,
  reserve: Partial<Budget> = { toolCalls: -1 },
): StopReason | undefined {
  const resource = resources.find((one) => left.amounts[one] <= (reserve[one] ?? 0));
  return resource === undefined ? undefined : limitStop(left, resource);
}

/** The typed end for a resource that has run out. */
export function limitStop({ scopeOf }: Remaining, resource: Resource): StopReason {
  const { limit, of } = scopeOf(resource);
  return {
    type: stopTypes[resource],
    message: `I stopped here: ${limitWords[resource](limit)} for one ${of} is reached.`,
  };
}

const stopTypes: { readonly [resource in Resource]: StopReason["type"] } = {
  turns: "turn_limit",
  wallClockMs: "deadline",
  toolCalls: "tool_call_limit",
  inputTokens: "token_limit",
  outputTokens: "token_limit",
  costUsd: "cost_limit",
};

const limitWords: { readonly [resource in Resource]: (limit: number) => string } = {
  turns: (limit) => `the limit of ${limit} steps`,
  wallClockMs: (limit) => `the time limit of ${Math.round(limit / 100) / 10} s`,
  toolCalls: (limit) => `the limit of ${limit} tool calls`,
  inputTokens: () => "the limit of text to be read",
  outputTokens: () => "the limit of text to be written",
  costUsd: () => "the cost limit",
};
