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

/** When a circuit opens, and for how long. */
export interface CircuitOptions {
  /** The number of failures in a row that opens the circuit. */
  failures: number;
  /** How long the circuit stays open, in milliseconds. */
  coolDownMs: number;
  /** Returns the current time in milliseconds, from any starting point. */
  now: () => number;
  /** Creates the error for a call that is refused. `leftMs`: after how many milliseconds to try again. */
  refusal(leftMs: number): Error;
}

/** Stops calls of a service that keeps failing. */
export interface Circuit {
  /**
   * Begins a call. `caller` names for whom it is made, if several share the circuit: once the circuit has
   * cooled down, each caller has one trial call at a time.
   *
   * @throws the error of `refusal` if the circuit is open, or another call is the caller's trial
   */
  begin(caller?: string): CircuitCall;
}

/** A call that a circuit let through. Its methods report how the call has ended. */
export interface CircuitCall {
  succeeded(): void;
  /**
   * Reports a failure that counts as `weight` failures: 0 if the call itself caused it, and `Infinity` to
   * open the circuit at once. A call that was aborted by its signal has not failed: see `failureCause()`.
   */
  failed(weight: number, signal?: AbortSignal): void;
  /** Ends the call. If it was a trial that neither succeeded nor failed, the next call becomes the trial. */
  over(): void;
}

/**
 * Makes a circuit breaker for any service. It is closed until `failures` calls in a row have failed. Then it
 * is open for `coolDownMs`. Afterwards it is half open: a trial that succeeds closes it, one that fails opens
 * it again. Its state is in memory.
 *
 * @example
 * ```ts
 * import { newCircuit } from "@pawl/core/model";
 *
 * const circuit = newCircuit({
 *   failures: 1,
 *   coolDownMs: 30_000,
 *   now: Date.now,
 *   refusal: (leftMs) => new Error(`Try again in ${leftMs / 1000} s.`),
 * });
 * const call = circuit.begin();
 * call.failed(1);
 * call.over();
 * try {
 *   circuit.begin();
 * } catch (error) {
 *   console.log((error as Error).message.slice(0, 9)); // Try again
 * }
 * ```
 */
export function newCircuit({ failures, coolDownMs, now, refusal }: CircuitOptions): Circuit {
  /**
   * The failures since the last success. A new trial does not reset them, so one failed trial opens the
   * circuit again.
   */
  let failuresInARow = 0;
  /** Until when the circuit is open. Afterwards it is half open. `undefined` while it is closed. */
  let openUntil: number | undefined;
  /** The callers that have a trial. */
  const trials = new Set<string>();

  return {
    begin: (caller = "") => {
      const leftMs = openUntil === undefined ? 0 : openUntil - now();
      if (leftMs > 0) throw refusal(leftMs);
      if (trials.has(caller)) throw refusal(coolDownMs);
      const isTrial = openUntil !== undefined;
      if (isTrial) trials.add(caller);
      const openedBefore = openUntil;
      /** Returns whether the call's outcome counts: not if the circuit has opened since the call began. */
      const counts = () => openUntil === openedBefore;
      return {
        succeeded: () => {
          if (!isTrial && !counts()) return;
          failuresInARow = 0;
          openUntil = undefined;
        },
        failed: (weight, signal) => {
          if (!counts() || weight === 0 || failureCause(signal) === "aborted") return;
          failuresInARow += weight;
          if (failuresInARow >= failures) openUntil = now() + coolDownMs;
        },
        over: () => {
          if (isTrial) trials.delete(caller);
        },
      };
    },
  };
}
