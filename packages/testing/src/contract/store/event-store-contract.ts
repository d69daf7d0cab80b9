import type { EventStore } from "@pawl/core";
import { bench, type Check } from "../base/bench.ts";
import type { ContractCase } from "../base/case.ts";
import { appendWithChecks } from "./append-with.ts";
import { conditionChecks } from "./conditions.ts";
import { hostileChecks } from "./hostile.ts";
import { idempotencyChecks } from "./idempotency.ts";
import { isolationChecks } from "./isolation.ts";
import { leaseChecks } from "./leases.ts";
import { nameChecks } from "./names.ts";
import { onceChecks } from "./once.ts";
import { openChecks } from "./open.ts";
import { orderChecks } from "./order.ts";
import { patchChecks } from "./patches.ts";
import { payloadChecks } from "./payloads.ts";
import { readChecks } from "./reads.ts";
import { recoveryChecks } from "./recovery.ts";
import { sessionChecks } from "./sessions.ts";
import { snapshotChecks } from "./snapshots.ts";
import { timeChecks } from "./times.ts";
import { wakeChecks } from "./wakes.ts";

/** An {@link EventStore} under test. */
export interface StoreUnderTest {
  /** The store to test. Cases may share it. */
  store: EventStore;
  /**
   * Moves the store's clock by `ms` milliseconds, backwards if negative. Default: the cases sleep, at most a
   * tenth of a second each, and the clock is never moved backwards.
   */
  advance?(ms: number): void | Promise<void>;
  /** Called at the end of the case. */
  close?(): Promise<void>;
}

const checks: readonly Check[] = [
  ...orderChecks,
  ...idempotencyChecks,
  ...conditionChecks,
  ...appendWithChecks,
  ...leaseChecks,
  ...openChecks,
  ...snapshotChecks,
  ...patchChecks,
  ...recoveryChecks,
  ...wakeChecks,
  ...sessionChecks,
  ...readChecks,
  ...payloadChecks,
  ...isolationChecks,
  ...hostileChecks,
  ...onceChecks,
  ...nameChecks,
  ...timeChecks,
];

/**
 * Returns the contract of {@link EventStore} as cases for any test runner. Each case uses sessions and users
 * of its own, so `make` may return the same store each time. `close` is called after each case.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@pawl/core";
 * import { eventStoreContract } from "@pawl/testing";
 *
 * for (const { name, run } of eventStoreContract(async () => ({ store: memoryStore() }))) {
 *   await run();
 *   console.log(`ok ${name}`);
 * }
 * ```
 */
export function eventStoreContract(make: () => Promise<StoreUnderTest>): ContractCase[] {
  return checks.map(({ name, run }) => ({
    name,
    async run() {
      const { store, advance, close } = await make();
      try {
        await run(bench(store, advance));
      } finally {
        await close?.();
      }
    },
  }));
}
