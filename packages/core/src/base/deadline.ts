import type { Clock } from "./clock.ts";

/** The limits of `withinDeadline()`. */
export interface Deadline {
  readonly clock: Clock;
  /** Aborts the work. */
  readonly signal?: AbortSignal;
  /**
   * How long the work may take to settle after the signal has fired, in milliseconds. Default: no grace;
   * `withinDeadline()` rejects as soon as the signal fires.
   */
  readonly abortGraceMs?: number;
  /** How long the work may take, in milliseconds. Default: unlimited. */
  readonly timeoutMs?: number | undefined;
  /**
   * Called when `timeoutMs` is over. The wait rejects with what it returns. Default: an error that names the
   * time.
   */
  readonly onTimeout?: () => unknown;
}

/**
 * Waits for work that may never settle. Rejects with the signal's reason once the signal has fired and
 * `abortGraceMs` is over, or when `timeoutMs` is over. The abandoned work continues unless it honours the
 * signal.
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

/** Does work whose signal fires after `ms` milliseconds. */
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
  return new Error(`It took longer than ${ms} ms.`);
}
