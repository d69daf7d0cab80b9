import { addSpent, type Budget, nothingSpent, type Resource, restOfBudget } from "../log/budget.ts";
import type { StopReason } from "../log/stop-reason.ts";
import { spentOf } from "../session/spent.ts";
import { openRun, type SessionState } from "../session/state.ts";

/** The limits of an agent. */
export interface Limited {
  readonly limits: Readonly<Budget>;
  readonly sessionLimits: Readonly<Budget>;
}

/** How much is left of each resource, and which budget sets that. */
export interface Remaining {
  amounts: Budget;
  /** The limit to name in the message when it is reached, and what it applies to. */
  scopeOf(resource: Resource): { limit: number; of: "request" | "conversation" };
}

/**
 * Returns what the open run, or a run that starts now, may still use: for each resource the lesser of the
 * run's remainder and the session's.
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
 * Returns the reason to stop if some resource is down to its `reserve` or less. By default the last allowed
 * tool call may be made and its result read: only one call too many ends a run.
 */
export function limitReached(
  left: Remaining,
  reserve: Partial<Budget> = { toolCalls: -1 },
): StopReason | undefined {
  const resource = resources.find((one) => left.amounts[one] <= (reserve[one] ?? 0));
  return resource === undefined ? undefined : limitStop(left, resource);
}

/** Returns the stop reason for a resource that has run out. */
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
  inputTokens: () => "the limit on text that I can read",
  outputTokens: () => "the limit on text that I can write",
  costUsd: () => "the cost limit",
};
