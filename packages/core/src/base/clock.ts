/** A source of time: reads the current time and sets timers. */
export interface Clock {
  /** Returns the current time in milliseconds since 1970. */
  now(): number;
  /**
   * Calls `then` once, after `ms` milliseconds. With 0 or less the timer fires as soon as possible, with
   * `Infinity` never. The returned function cancels the timer. A `background` timer does not keep the process
   * alive.
   */
  after(ms: number, then: () => void, options?: { background?: boolean }): () => void;
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

/**
 * The longest delay that `setTimeout` supports, in milliseconds. With a longer delay, `setTimeout` fires at
 * once.
 */
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

/** Waits `ms` milliseconds. If the signal is aborted first, rejects with its reason. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits with `setTimeout`, for any number of milliseconds. */
export const pause: Sleep = async (ms, signal) => {
  signal.throwIfAborted();
  if (ms > 0) await delay(systemClock, ms, signal);
};
