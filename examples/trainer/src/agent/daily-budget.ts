import { type Hook, reservation } from "@pawl/core";
import type { Reservations } from "@pawl/core/store";

/**
 * How many tokens the runs of one user may use in a day, and how many one run sets aside before it begins.
 */
export const dailyBudgetTokens = { day: 4_000_000, run: 400_000 } as const;

/** Lets the runs of one user share a budget a day (UTC), whatever device or process they run in. */
export function dailyBudget(reservations: Reservations, now: () => number = Date.now): Hook {
  return reservation({
    name: "daily-budget",
    reservations,
    account: ({ userId }) => `${userId}/${new Date(now()).toISOString().slice(0, 10)}`,
    limit: dailyBudgetTokens.day,
    amount: dailyBudgetTokens.run,
    message: "That is all for today. Your history is safe, and tomorrow we can train again.",
  });
}
