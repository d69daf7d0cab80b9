import { addUsd, subtractUsd } from "../base/usd.ts";

/**
 * Limits on what a run or a session may use. The same shape reports what has been used, as folded from the
 * log into `RunState` and `SessionState`.
 */
export interface Budget {
  /** Answers of the model. */
  turns: number;
  /** Working time in milliseconds, summed over all legs; waiting for a person does not count. */
  wallClockMs: number;
  /** Tool calls, including failed and refused ones. */
  toolCalls: number;
  /** All tokens of all prompts, including cached ones. */
  inputTokens: number;
  /** All tokens of all answers, including thinking. */
  outputTokens: number;
  /** US dollars, e.g. `0.5`. Needs a model with prices. */
  costUsd: number;
}

/** A resource that a budget limits. */
export type Resource = keyof Budget;

/** Nothing used. */
export const nothingSpent: Budget = {
  turns: 0,
  wallClockMs: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
};

/** All resources, in the order in which limits are checked. */
export const resources: readonly Resource[] = Object.keys(nothingSpent) as Resource[];

/** Makes a budget, resource by resource. */
export function eachResource(amountOf: (resource: Resource) => number): Budget {
  const budget = { ...nothingSpent };
  for (const resource of resources) budget[resource] = amountOf(resource);
  return budget;
}

/** No limit at all. */
export const unlimited: Budget = eachResource(() => Number.POSITIVE_INFINITY);

/** Adds up two amounts of used budget, resource by resource. */
export function addSpent(a: Budget, b: Budget): Budget {
  return eachResource((one) => (one === "costUsd" ? addUsd(a[one], b[one]) : a[one] + b[one]));
}

/** Returns what is left of a budget; negative where it was overspent. */
export function restOfBudget(budget: Budget, spent: Budget): Budget {
  return eachResource((one) =>
    one === "costUsd" ? subtractUsd(budget[one], spent[one]) : budget[one] - spent[one],
  );
}

/** A limit that can shorten an answer. */
export type AnswerLimit = Extract<Resource, "outputTokens" | "costUsd">;
