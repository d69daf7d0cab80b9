import { delay, systemClock } from "./clock.ts";

/** Waits `ms` milliseconds. If the signal is aborted first, rejects with its reason. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits with `setTimeout`, for any number of milliseconds. */
export const pause: Sleep = async (ms, signal) => {
  signal.throwIfAborted();
  if (ms > 0) await delay(systemClock, ms, signal);
};
