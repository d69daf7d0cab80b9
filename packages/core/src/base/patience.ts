import type { Clock } from "./clock.ts";

/** What bounds the application's work: the leg's signal, and how long it may take to notice. */
export interface Patience {
  readonly signal: AbortSignal;
  readonly abortGraceMs: number;
  readonly clock: Clock;
}

/**
 * Waits for something of the application's that may never settle: once the leg is stopped it has the grace to do so, and
 * then the promise rejects with the reason of the stop.
 */
export async function withinLeg<T>(
  { signal, abortGraceMs, clock }: Patience,
  work: T | PromiseLike<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let cancel: (() => void) | undefined;
  const onAbort = () => {
    cancel = clock.after(abortGraceMs, () => reject(signal.reason));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  Promise.resolve(work).then(resolve, reject);
  try {
    return await promise;
  } finally {
    cancel?.();
    signal.removeEventListener("abort", onAbort);
  }
}
