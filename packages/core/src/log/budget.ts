import { addUsd, subtractUsd } from "../base/usd.ts";

/**
 * What a run, or a session, may use up. The same shape says what has been used: every limit counts what
 * `RunState` or `SessionState` has folded from the log.
 */
export interface Budget {
  /** Answers of the model. */
  turns: number;
  /** Work in milliseconds, summed over all legs: waiting for a person does not count. */
  wallClockMs: number;
  /** Calls of tools, failed and refused ones too. */
  toolCalls: number;
  /** Every token of every prompt, cached ones too. */
  inputTokens: number;
  /** Every token of every answer, thinking too. */
  outputTokens: number;
  /** US dollars, e.g. `0.5`. Needs a model with prices. */
  costUsd: number;
}

/** One of the things that run out. */
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

/** No limit at all. */
export const unlimited: Budget = {
  turns: Number.POSITIVE_INFINITY,
  wallClockMs: Number.POSITIVE_INFINITY,
  toolCalls: Number.POSITIVE_INFINITY,
  inputTokens: Number.POSITIVE_INFINITY,
  outputTokens: Number.POSITIVE_INFINITY,
  costUsd: Number.POSITIVE_INFINITY,
};

/** Both together. */
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

/** What is left of a budget; less than nothing where it was overspent. */
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

/** A limit that can shorten an answer. */
export type AnswerLimit = Extract<Resource, "outputTokens" | "costUsd">;
