import { centsFromUsd, usdFromCents } from "../base/usd.ts";
import type { AnswerLimit, Budget } from "./budget.ts";

/** A budget as the log stores it: money is in US cents. */
export type StoredBudget = Partial<Omit<Budget, "costUsd"> & { costCents: number }>;

/** An {@link AnswerLimit} as the log stores it. */
export type StoredAnswerLimit = "outputTokens" | "costCents";

/** Converts a budget to the form in the log, with money in US cents. */
export function storedBudget({ costUsd, ...budget }: Partial<Budget>): StoredBudget {
  return costUsd === undefined ? budget : { ...budget, costCents: centsFromUsd(costUsd) };
}

/** Converts a budget in the form of the log to a {@link Budget}, with money in US dollars. */
export function budgetOf({ costCents, ...stored }: StoredBudget): Partial<Budget> {
  return costCents === undefined ? stored : { ...stored, costUsd: usdFromCents(costCents) };
}

/** Converts the name of a limit to its name in the log. */
export function storedAnswerLimit(limit: AnswerLimit): StoredAnswerLimit {
  return limit === "costUsd" ? "costCents" : limit;
}

/** Converts the name of a limit in the log back to its name in a {@link Budget}. */
export function answerLimitOf(stored: StoredAnswerLimit): AnswerLimit {
  return stored === "costCents" ? "costUsd" : stored;
}
