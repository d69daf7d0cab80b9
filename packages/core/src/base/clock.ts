/** The source of time for everything that waits or measures. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Calls `then` after `ms` milliseconds: at once for 0 or less, never for `Infinity`. The returned function
   * cancels the timer. A `background` timer does not keep the process alive.
   */
  after(ms: number, then: () => void, options?: { background?: boolean }): () => void;
}

/** Waits `ms` milliseconds. Rejects with the signal's reason as soon as it fires. */
export async function delay(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => reject(signal?.reason);
  const cancel = clock.after(ms, resolve);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    await promise;
  } finally {
    cancel();
    signal?.removeEventListener("abort", onAbort);
  }
}

/**
 * Calls `work` every `ms` milliseconds. Its timers do not keep the process alive. The returned function stops
 * it.
 */
export function every(clock: Clock, ms: number, work: () => void): () => void {
  const next = (): (() => void) =>
    clock.after(
      ms,
      () => {
        cancel = next();
        work();
      },
      { background: true },
    );
  let cancel = next();
  return () => cancel();
}

/** The longest delay that `setTimeout` supports, in milliseconds. With a longer one it fires at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** The system clock: `Date.now` and `setTimeout`. */
export const systemClock: Clock = {
  now: Date.now,
  after: (ms, then, { background = false } = {}) => {
    if (ms === Number.POSITIVE_INFINITY) return () => undefined;
    let left = Math.max(ms, 0);
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      const step = Math.min(left, LONGEST_TIMER_MS);
      left -= step;
      timer = setTimeout(left > 0 ? wait : then, step);
      if (background) timer.unref?.();
    };
    wait();
    return () => clearTimeout(timer);
  },
};
