import { type Hook, reservation } from "@pawl/core";
import type { Reservations } from "@pawl/core/store";
import type { CoachDeps } from "../deps/deps.ts";

/**
 * How many tokens the runs of one user may use in a day, and how many one run sets aside before it begins.
 */
export const dailyBudgetTokens = { day: 4_000_000, run: 400_000 } as const;

/** Lets the runs of one user share a budget a day (UTC), whatever device or process they run in. */
export function dailyBudget(reservations: Reservations): Hook<CoachDeps> {
  return reservation<CoachDeps>({
    name: "daily-budget",
    reservations,
    account: ({ userId, deps }) => `${userId}/${new Date(deps.coach.now()).toISOString().slice(0, 10)}`,
    limit: dailyBudgetTokens.day,
    amount: dailyBudgetTokens.run,
    message: "That is all for today. What you have written is safe, and tomorrow we can go on.",
  });
}
