import { type Hook, reservation } from "@pawl/core";
import type { Reservations } from "@pawl/core/store";
import type { CoachDeps } from "../deps/deps.ts";

/** How many tokens a user's runs may use in one day, and how many each run reserves before it begins. */
export const dailyBudgetTokens = { day: 4_000_000, run: 400_000 } as const;

/** Gives all runs of a user one budget per day (UTC), across devices and processes. */
export function dailyBudget(reservations: Reservations): Hook<CoachDeps> {
  return reservation<CoachDeps>({
    name: "daily-budget",
    reservations,
    account: ({ userId, deps }) => `${userId}/${new Date(deps.coach.now()).toISOString().slice(0, 10)}`,
    limit: dailyBudgetTokens.day,
    amount: dailyBudgetTokens.run,
    message: "That is all for today. What you have written is safe, and we can continue tomorrow.",
  });
}
