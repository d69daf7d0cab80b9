/** A source of time: reads the current time and sets timers. */
export interface Clock {
  /** Returns the current time in milliseconds since 1970. */
  now(): number;
  /**
   * Calls `callback` once, after `ms` milliseconds. Calls it as soon as possible for 0 or less, and never for
   * `Infinity`. The returned function cancels the timer. A `background` timer does not keep the process
   * alive.
   */
  after(ms: number, callback: () => void, options?: { background?: boolean }): () => void;
}

/** Waits `ms` milliseconds. If the signal is aborted first, rejects with its reason. */
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
 * Calls `work` every `ms` milliseconds, until the returned function is called. Does not keep the process
 * alive.
 */
export function every(clock: Clock, ms: number, work: () => void): () => void {
  const schedule = (): (() => void) =>
    clock.after(
      ms,
      () => {
        // Comes before the call, which may throw or cancel the next one.
        cancel = schedule();
        work();
      },
      { background: true },
    );
  let cancel = schedule();
  return () => cancel();
}

/**
 * The longest delay that `setTimeout` supports, in milliseconds. With a longer delay, `setTimeout` fires at
 * once.
 */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** The system clock: `Date.now` and `setTimeout`. */
export const systemClock: Clock = {
  now: Date.now,
  after: (ms, callback, { background = false } = {}) => {
    if (ms === Number.POSITIVE_INFINITY) return () => undefined;
    let leftMs = Math.max(ms, 0);
    let timer: ReturnType<typeof setTimeout>;
    // A longer delay takes several timers, one after the other.
    const setTimer = () => {
      const stepMs = Math.min(leftMs, LONGEST_TIMER_MS);
      leftMs -= stepMs;
      timer = setTimeout(leftMs > 0 ? setTimer : callback, stepMs);
      if (background) timer.unref?.();
    };
    setTimer();
    return () => clearTimeout(timer);
  },
};

/** Waits `ms` milliseconds. If the signal is aborted first, rejects with its reason. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits by the system clock, for any number of milliseconds. Does not wait for 0 or less. */
export const pause: Sleep = async (ms, signal) => {
  signal.throwIfAborted();
  if (ms > 0) await delay(systemClock, ms, signal);
};
