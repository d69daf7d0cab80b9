import { type Hook, reservation } from "@pawl/core";
import type { Reservations } from "@pawl/core/store";

/** How many tokens a user's runs may use in one day, and how many each run reserves before it begins. */
export const dailyBudgetTokens = { day: 4_000_000, run: 400_000 } as const;

/** Gives all runs of a user one budget per day (UTC), across devices and processes. */
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
