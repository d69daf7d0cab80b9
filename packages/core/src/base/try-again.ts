import { type Clock, delay } from "./clock.ts";
import { PawlError } from "./errors.ts";

/**
 * Retries an idempotent call while it fails with `store_unavailable`: once after each of the delays, which
 * are in milliseconds. Then throws the last error. Throws any other error at once.
 */
export async function retryUnavailable<T>(
  clock: Clock,
  delaysMs: readonly number[],
  call: () => Promise<T>,
): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await call();
    } catch (error) {
      const delayMs = delaysMs[retries];
      if (delayMs === undefined || !PawlError.is(error, "store_unavailable")) throw error;
      await delay(clock, delayMs);
    }
  }
}
