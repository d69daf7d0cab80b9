import { memoryReservations, type ReservationOptions, type RunResult, reservation } from "../../src/index.ts";
import type { Reservations } from "../../src/store.ts";

/** More than any of these runs uses, and a budget for two of them. */
export const AMOUNT = 10_000;
export const LIMIT = 25_000;

/** A hook on the account `u1`, and what it is charged with. */
export function budget(options: Partial<ReservationOptions> = {}) {
  const reservations: Reservations = options.reservations ?? memoryReservations();
  const hook = reservation({
    account: "u1",
    amount: AMOUNT,
    limit: LIMIT,
    retryMs: [],
    ...options,
    reservations,
  });
  return { reservations, hook, balance: async () => await reservations.balance("u1") };
}

/** All tokens of a run. */
export function tokens({ usage }: Pick<RunResult, "usage">): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
}
