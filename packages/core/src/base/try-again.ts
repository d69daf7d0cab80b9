import { type Clock, delay } from "./clock.ts";
import { PawlError } from "./errors.ts";

/**
 * Retries an idempotent call while it fails with `store_unavailable`: once after each delay, in milliseconds.
 * Then throws the last error.
 */
export async function tryAgain<T>(
  clock: Clock,
  delaysMs: readonly number[],
  call: () => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const delayMs = delaysMs[tries];
      if (delayMs === undefined || !PawlError.is(error, "store_unavailable")) throw error;
      await delay(clock, delayMs);
    }
  }
}
