import { memoryReservations, type ReservationOptions, type RunResult, reservation } from "../../src/index.ts";

/** More than any of these runs uses, and a budget for two of them. */
export const AMOUNT = 10_000;
export const LIMIT = 25_000;

/** The same in US dollars. */
export const IN_USD = { amountUsd: 0.01, limitUsd: 0.025 };

/** A hook on the account `u1`, and what it is charged with. */
export function budget({
  reservations = memoryReservations(),
  ...options
}: Partial<ReservationOptions> = {}) {
  const numbers = "amountUsd" in options ? {} : { amount: AMOUNT, limit: LIMIT };
  const made = { account: "u1", retryMs: [], ...numbers, ...options, reservations };
  const hook = reservation(made as ReservationOptions);
  return { reservations, hook, balance: async () => await reservations.balance("u1") };
}

/** All tokens of a run. */
export function tokens({ usage }: Pick<RunResult, "usage">): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
}
