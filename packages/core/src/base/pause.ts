import { LONGEST_TIMER_MS } from "./clock.ts";

/** Waits `ms` milliseconds. If the signal is aborted first, rejects with its reason. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits with `setTimeout`, for any number of milliseconds. */
export const pause: Sleep = async (ms, signal) => {
  signal.throwIfAborted();
  for (let left = ms; left > 0; left -= LONGEST_TIMER_MS)
    await timer(Math.min(left, LONGEST_TIMER_MS), signal);
};

function timer(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timeout);
      reject(signal.reason);
    };
    const timeout = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
