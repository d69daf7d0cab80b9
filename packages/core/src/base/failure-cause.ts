/**
 * Why a call of another service failed:
 *
 * - `failed`: by itself, e.g. because the service returned an error.
 * - `time_up`: the caller's time limit was over.
 * - `aborted`: the caller has cancelled it, e.g. because the user has stopped the run.
 */
export type FailureCause = "failed" | "time_up" | "aborted";

/**
 * Judges a call that has failed, for circuit breakers, retries and metrics. A call that was `aborted` says
 * nothing about its service, so it does not count as a failure. Only one that `failed` may be repeated.
 *
 * @param signal the signal of the call. It aborts with an error named `TimeUp` or `TimeoutError` when a time
 * limit is over, e.g. that of `timeLimit()` or `AbortSignal.timeout()`
 *
 * @example
 * ```ts
 * import { failureCause } from "@pawl/core/model";
 *
 * const call = new AbortController();
 * console.log(failureCause(call.signal)); // failed
 * call.abort();
 * console.log(failureCause(call.signal)); // aborted
 * ```
 */
export function failureCause(signal?: AbortSignal): FailureCause {
  if (signal?.aborted !== true) return "failed";
  // By its name: an error of another copy of this module, or of another realm, is no instance of our class.
  const { name } = Object(signal.reason) as { name?: unknown };
  return name === "TimeUp" || name === "TimeoutError" ? "time_up" : "aborted";
}
