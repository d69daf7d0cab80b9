import { centsFromUsd, usdFromCents } from "../base/usd.ts";
import type { AnswerLimit, Budget } from "./budget.ts";

/** A budget as the log stores it: money is in US cents. */
export type StoredBudget = Partial<Omit<Budget, "costUsd"> & { costCents: number }>;

/** An {@link AnswerLimit} as the log stores it. */
export type StoredAnswerLimit = "outputTokens" | "costCents";

/** Converts a budget for the log. */
export function storedBudget({ costUsd, ...budget }: Partial<Budget>): StoredBudget {
  return costUsd === undefined ? budget : { ...budget, costCents: centsFromUsd(costUsd) };
}

/** Reads a budget from the log. */
export function budgetOf({ costCents, ...stored }: StoredBudget): Partial<Budget> {
  return costCents === undefined ? stored : { ...stored, costUsd: usdFromCents(costCents) };
}

/** Converts a limit's name for the log. */
export function storedAnswerLimit(limit: AnswerLimit): StoredAnswerLimit {
  return limit === "costUsd" ? "costCents" : limit;
}

/** Reads a limit's name from the log. */
export function answerLimitOf(stored: StoredAnswerLimit): AnswerLimit {
  return stored === "costCents" ? "costUsd" : stored;
}
