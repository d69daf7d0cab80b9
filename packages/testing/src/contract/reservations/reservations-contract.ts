import { setTimeout as sleep } from "node:timers/promises";
import type { Reservations } from "@pawl/core/store";
import type { ContractCase } from "../base/case.ts";
import { reservationAttacks } from "./reservation-attacks.ts";
import { reservationBench } from "./reservation-bench.ts";
import { reservationChecks } from "./reservations.ts";

/** An implementation of {@link Reservations} under test. */
export interface ReservationsUnderTest {
  /** The implementation to test. Cases may share it. */
  reservations: Reservations;
  /**
   * Advances the implementation's clock by `ms` milliseconds. Default: the cases sleep, at most a tenth of a
   * second each.
   */
  advance?(ms: number): void | Promise<void>;
  /** Called at the end of the case. */
  close?(): Promise<void>;
}

/**
 * Returns the contract of {@link Reservations} as cases for any test runner. Each case uses accounts of its
 * own, so `make` may return the same object each time. `close` is called after each case.
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
