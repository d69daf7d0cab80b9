import type { Clock } from "@pawl/core";

/** A clock for tests, whose time changes only by {@link TestClock.advance}. */
export interface TestClock extends Clock {
  /** Advances the time by `ms` milliseconds. Runs every timer that is due, in order. */
  advance(ms: number): Promise<void>;
}

/**
 * Creates a clock for tests of limits and time-outs, so that no test waits in real time.
 *
 * @param start the clock's first time, in milliseconds since 1970. Default: the beginning of 2026
 *
 * @example
 * ```ts
 * import { testClock } from "@pawl/testing";
 *
 * const clock = testClock();
 * clock.after(60_000, () => console.log("a minute is over"));
 * await clock.advance(60_000);
 * ```
 */
export function testClock(start: number = Date.UTC(2026, 0, 1)): TestClock {
  let now = start;
  let timers: { at: number; then: () => void }[] = [];
  const next = (until: number) => timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  return {
    now: () => now,
    after: (ms, then) => {
      const timer = { at: now + Math.max(0, ms), then };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance: async (ms) => {
      const until = now + ms;
      await settled();
      for (let timer = next(until); timer !== undefined; timer = next(until)) {
        const { at, then } = timer;
        timers = timers.filter((other) => other !== timer);
        now = Math.max(now, at);
        then();
        await settled();
      }
      now = until;
      await settled();
    },
  };
}

/** Waits until pending promises and immediates have run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
