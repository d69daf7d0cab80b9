import { setTimeout as sleep } from "node:timers/promises";
import type { Reservations } from "@pawl/core/store";
import type { ContractCase } from "../base/case.ts";
import { reservationAttacks } from "./reservation-attacks.ts";
import { reservationBench } from "./reservation-bench.ts";
import { reservationChecks } from "./reservations.ts";

/** Reservations under test. */
export interface ReservationsUnderTest {
  reservations: Reservations;
  /** Advances their clock. Default: the cases sleep, a tenth of a second each at most. */
  advance?(ms: number): void | Promise<void>;
  close?(): Promise<void>;
}

/**
 * Returns what {@link Reservations} must do, as cases for any test runner. Each case has accounts of its own,
 * so `make` may return the same object each time; `close` is called after each case.
 *
 * @example
 * ```ts
 * import { memoryReservations } from "@pawl/core";
 * import { reservationsContract } from "@pawl/testing";
 *
 * for (const { name, run } of reservationsContract(async () => ({ reservations: memoryReservations() }))) {
 *   await run();
 *   console.log(`ok ${name}`);
 * }
 * ```
 */
export function reservationsContract(make: () => Promise<ReservationsUnderTest>): ContractCase[] {
  return [...reservationChecks, ...reservationAttacks].map(({ name, run }) => ({
    name,
    async run() {
      const { reservations, advance, close } = await make();
      try {
        await run(reservationBench(reservations, async (ms) => await (advance ?? sleep)(ms)));
      } finally {
        await close?.();
      }
    },
  }));
}
