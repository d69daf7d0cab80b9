import type { Engine } from "@pawl/core/store";
import type { ContractCase } from "../base/case.ts";
import { engineBench } from "./engine-bench.ts";
import { engineChecks } from "./engine-checks.ts";

/** An implementation of {@link Engine} under test. */
export interface EngineUnderTest {
  /** The engine to test. */
  engine: Engine;
  /**
   * How long the engine may take to call a handler for a session that was woken, in milliseconds. Default:
   * 5,000.
   */
  patienceMs?: number;
  /** Called at the end of the case, once all workers have stopped. */
  close?(): Promise<void>;
}

/**
 * Returns the contract of {@link Engine} as cases for any test runner. Each case uses sessions of its own, so
 * `make` may return the same engine each time.
 *
 * @example
 * ```ts
 * import { localEngine } from "@pawl/core/store";
 * import { engineContract } from "@pawl/testing";
 *
 * for (const { name, run } of engineContract(async () => ({ engine: localEngine() }))) {
 *   await run();
 *   console.log(`ok ${name}`);
 * }
 * ```
 */
export function engineContract(make: () => Promise<EngineUnderTest>): ContractCase[] {
  return engineChecks.map(({ name, run }) => ({
    name,
    async run() {
      const { engine, patienceMs = 5_000, close } = await make();
      const bench = engineBench(engine, patienceMs);
      try {
        await run(bench);
      } finally {
        await bench.stop();
        await close?.();
      }
    },
  }));
}
