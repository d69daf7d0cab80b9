import type { Clock, Runtime } from "@pawl/core";
import type { Owner, Timeline } from "./timeline.ts";

/** A computer with one process: a runtime whose clock is wrong in its own way. */
export interface Machine extends Owner {
  readonly name: string;
  readonly clock: Clock;
  isGone: boolean;
  frozenUntil: number;
  /** Until when it does not reach the network, in milliseconds of the timeline. */
  cutOffUntil: number;
  /** Whether it takes no more requests of users, because it shuts down. */
  isLeaving: boolean;
  pawl: Runtime | undefined;
  /** Sets the clock forward, or back. */
  shiftClock(ms: number): void;
  /** Waits by the machine's clock. Rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Makes a machine. Its clock is `offsetMs` ahead of the timeline, and gains `drift` milliseconds in each
 * one.
 */
export function newMachine(
  timeline: Timeline,
  name: string,
  { offsetMs, drift }: { offsetMs: number; drift: number },
): Machine {
  const bootedAt = timeline.now();
  let offset = offsetMs;
  const machine: Machine = {
    name,
    isGone: false,
    frozenUntil: 0,
    cutOffUntil: 0,
    isLeaving: false,
    pawl: undefined,
    shiftClock: (ms) => {
      offset += ms;
    },
    clock: {
      now: () => Math.floor(timeline.now() + offset + (timeline.now() - bootedAt) * drift),
      after: (ms, then) => timeline.after(Math.max(1, ms) / (1 + drift), then, machine),
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const fail = () => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = machine.clock.after(ms, () => {
          signal?.removeEventListener("abort", fail);
          resolve();
        });
        signal?.addEventListener("abort", fail, { once: true });
      }),
  };
  return machine;
}
