import { PawlError } from "./errors.ts";

/**
 * Retries an idempotent call while it fails with `store_unavailable`: once after each delay, in milliseconds.
 * Then throws the last error.
 */
export async function tryAgain<T>(delaysMs: readonly number[], call: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const delay = delaysMs[tries];
      if (delay === undefined || !PawlError.is(error, "store_unavailable")) throw error;
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}
