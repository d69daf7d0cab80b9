import type { Clock } from "./clock.ts";

/** How long `withinDeadline()` waits, and what ends the wait. */
export interface Deadline {
  readonly clock: Clock;
  /** Ends the wait when it is aborted. */
  readonly signal?: AbortSignal;
  /** How long to keep waiting after the signal is aborted, in milliseconds. Default: not at all. */
  readonly abortGraceMs?: number;
  /** How long the work may take, in milliseconds. Default: unlimited. */
  readonly timeoutMs?: number | undefined;
  /** Returns the error to reject with when `timeoutMs` is over. Default: an error that names `timeoutMs`. */
  readonly onTimeout?: () => unknown;
}

/**
 * Waits for `work`, but no longer than the deadline allows. Rejects with the signal's reason, `abortGraceMs`
 * after the signal is aborted, or with the error of `onTimeout` after `timeoutMs`. Abandoned work continues,
 * unless it honours the signal.
 */
export async function withinDeadline<T>(deadline: Deadline, work: T | PromiseLike<T>): Promise<T> {
  const { clock, signal, abortGraceMs, timeoutMs } = deadline;
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let cancelGrace: (() => void) | undefined;
  let cancelTimeout: (() => void) | undefined;
  const onAbort = () => {
    if (abortGraceMs === undefined) reject(signal?.reason);
    else cancelGrace = clock.after(abortGraceMs, () => reject(signal?.reason));
  };
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  if (timeoutMs !== undefined) {
    const { onTimeout = () => timeoutError(timeoutMs) } = deadline;
    cancelTimeout = clock.after(timeoutMs, () => reject(onTimeout()));
  }
  Promise.resolve(work).then(resolve, reject);
  try {
    return await promise;
  } finally {
    cancelGrace?.();
    cancelTimeout?.();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Runs `work` with a signal that aborts after `ms` milliseconds. */
export async function withTimeLimit<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const control = new AbortController();
  const cancel = clock.after(ms, () => control.abort(timeoutError(ms)));
  try {
    return await work(control.signal);
  } finally {
    cancel();
  }
}

function timeoutError(ms: number): Error {
  return new Error(`Timed out after ${ms} ms.`);
}
