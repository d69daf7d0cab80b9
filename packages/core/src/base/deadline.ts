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
export function withinDeadline<T>(deadline: Deadline, work: T | PromiseLike<T>): Promise<T> {
  const { clock, signal, timeoutMs } = deadline;
  // Creates one promise, not the five of an async function: every model answer and every tool call waits
  // here.
  return new Promise<T>((resolve, reject) => {
    let cancelGrace: (() => void) | undefined;
    let cancelTimeout: (() => void) | undefined;
    const onAbort = () => {
      const { abortGraceMs } = deadline;
      if (abortGraceMs === undefined) fail(signal?.reason);
      else cancelGrace = clock.after(abortGraceMs, () => fail(signal?.reason));
    };
    const cleanUp = () => {
      cancelGrace?.();
      cancelTimeout?.();
      signal?.removeEventListener("abort", onAbort);
    };
    const fail = (error: unknown) => {
      cleanUp();
      reject(error);
    };
    const succeed = (value: T) => {
      cleanUp();
      resolve(value);
    };
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
    if (timeoutMs !== undefined) {
      const { onTimeout = () => timeoutError(timeoutMs) } = deadline;
      cancelTimeout = clock.after(timeoutMs, () => fail(onTimeout()));
    }
    Promise.resolve(work).then(succeed, fail);
  });
}

/**
 * Runs `work` with a signal that aborts after `ms` milliseconds. Work that ignores the signal is not
 * abandoned.
 */
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
