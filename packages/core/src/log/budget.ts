import { addUsd, subtractUsd } from "../base/usd.ts";

/** Limits on what a run or a session may use, or the amounts that it has used. */
export interface Budget {
  /** Answers of the model. */
  turns: number;
  /** Working time in milliseconds. Time in which the run waits for the user does not count. */
  wallClockMs: number;
  /** Tool calls, including failed and refused ones. */
  toolCalls: number;
  /** The sum of the tokens of all prompts, including cached ones. */
  inputTokens: number;
  /** The sum of the tokens of all answers, including thinking. */
  outputTokens: number;
  /** Cost in US dollars, e.g. `0.5`. A limit on cost needs a model with prices. */
  costUsd: number;
}

/**
 * Limits of one run, over all processes that work on it. `Infinity` lifts a limit. The defaults are
 * `defaultLimits`.
 */
export interface Limits extends Budget {
  /**
   * After this number of turns in a row in which every tool call failed, the run ends with the stop reason
   * `circuit_open`.
   */
  errorTurns: number;
  /** After this number of failures of a tool in a row, the tool is refused for the rest of the run. */
  toolFailures: number;
}

/** A resource that a budget limits. */
export type Resource = keyof Budget;

/** A budget of 0 for every resource. */
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

/** Creates a budget from the amount of each resource. */
// Written out, because V8 is slow with an object that a loop has filled. Budgets are computed for every step
// of a run.
export function eachResource(amountOf: (resource: Resource) => number): Budget {
  return {
    turns: amountOf("turns"),
    wallClockMs: amountOf("wallClockMs"),
    toolCalls: amountOf("toolCalls"),
    inputTokens: amountOf("inputTokens"),
    outputTokens: amountOf("outputTokens"),
    costUsd: amountOf("costUsd"),
  };
}

/** A budget without limits: `Infinity` for every resource. */
export const unlimited: Budget = /* @__PURE__ */ eachResource(() => Number.POSITIVE_INFINITY);

/** Adds two budgets, resource by resource. */
export function addSpent(a: Budget, b: Budget): Budget {
  return {
    turns: a.turns + b.turns,
    wallClockMs: a.wallClockMs + b.wallClockMs,
    toolCalls: a.toolCalls + b.toolCalls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUsd: addUsd(a.costUsd, b.costUsd),
  };
}

/** Subtracts the amounts used from a budget. The result is negative for a resource that was overspent. */
export function restOfBudget(budget: Budget, spent: Budget): Budget {
  return {
    turns: budget.turns - spent.turns,
    wallClockMs: budget.wallClockMs - spent.wallClockMs,
    toolCalls: budget.toolCalls - spent.toolCalls,
    inputTokens: budget.inputTokens - spent.inputTokens,
    outputTokens: budget.outputTokens - spent.outputTokens,
    costUsd: subtractUsd(budget.costUsd, spent.costUsd),
  };
}

/** A resource whose limit can shorten an answer. */
export type AnswerLimit = Extract<Resource, "outputTokens" | "costUsd">;
