import { delay, systemClock } from "./clock.ts";

/** Waits `ms` milliseconds. Rejects with the signal's reason as soon as it fires. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits by the system clock. */
export const pause: Sleep = async (ms, signal) => {
  signal.throwIfAborted();
  if (ms > 0) await delay(systemClock, ms, signal);
};
