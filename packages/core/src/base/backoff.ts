/** How long `backoff()` waits. */
export interface BackoffOptions {
  /** The wait after the first failure, in milliseconds. Each further failure doubles it. */
  baseMs: number;
  /** The longest wait, in milliseconds. */
  maxMs: number;
  /**
   * The share of each wait that is random, from 0 to 1, so that many clients do not retry at the same moment.
   * Default: 0.25.
   */
  jitter?: number;
  /** Returns a random number from 0 to 1. Default: `Math.random`. */
  random?: () => number;
}

/**
 * Returns how long to wait before the next attempt, in whole milliseconds. Waits double from `baseMs` up to
 * `maxMs`, and a random part of each is left out.
 *
 * @param failures the number of failures in a row, from 1
 *
 * @example
 * ```ts
 * import { backoff } from "@pawl/core/model";
 *
 * const waits = { baseMs: 100, maxMs: 1_000, jitter: 0 };
 * console.log([1, 2, 3, 4, 5].map((failures) => backoff(failures, waits))); // [ 100, 200, 400, 800, 1000 ]
 * ```
 */
export function backoff(
  failures: number,
  { baseMs, maxMs, jitter = 0.25, random = Math.random }: BackoffOptions,
): number {
  return Math.round(Math.min(maxMs, baseMs * 2 ** Math.max(0, failures - 1)) * (1 - jitter * random()));
}
