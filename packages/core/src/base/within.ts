import { type Clock, systemClock } from "./clock.ts";
import { withinDeadline } from "./deadline.ts";

/** A time limit for work, and a signal that cancels the work earlier. */
export interface TimeLimit {
  /** Cancels the work when it aborts. */
  signal: AbortSignal;
  /** How long the work may take, in milliseconds. */
  timeoutMs: number;
  /** The clock of the limit. Default: the system's clock. */
  clock?: Clock;
}

/**
 * The error of {@link within} when the time is up.
 *
 * @example
 * ```ts
 * import { TimeUp } from "@pawl/core/tools";
 *
 * console.log(new TimeUp(5_000).message); // It took longer than 5000 ms.
 * ```
 */
export class TimeUp extends Error {
  constructor(timeoutMs: number) {
    super(`It took longer than ${timeoutMs} ms.`);
    this.name = "TimeUp";
  }
}

/**
 * Creates a signal that aborts when the time is up, with a {@link TimeUp}, or when the given signal aborts.
 * Call `clear` when the work is done.
 *
 * @example
 * ```ts
 * import { timeLimit } from "@pawl/core/tools";
 *
 * const limit = timeLimit({ signal: new AbortController().signal, timeoutMs: 5_000 });
 * try {
 *   console.log(limit.signal.aborted); // false
 * } finally {
 *   limit.clear();
 * }
 * ```
 */
export function timeLimit({ signal, timeoutMs, clock = systemClock }: TimeLimit): {
  signal: AbortSignal;
  clear(): void;
} {
  const control = new AbortController();
  const onAbort = () => control.abort(signal.reason);
  const cancel = clock.after(timeoutMs, () => control.abort(new TimeUp(timeoutMs)));
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  const clear = () => {
    cancel();
    signal.removeEventListener("abort", onAbort);
  };
  return { signal: control.signal, clear };
}

/**
 * Runs work within a time limit, e.g. a function of the application that a hook calls. When the time is up or
 * `limit.signal` aborts, the work's signal aborts. Work that ignores its signal is abandoned.
 *
 * @throws TimeUp when the time is up; the signal's reason if it aborts; and any error of the work.
 *
 * @example
 * ```ts
 * import { TimeUp, within } from "@pawl/core/tools";
 *
 * const { signal } = new AbortController();
 * console.log(await within({ signal, timeoutMs: 5_000 }, async () => "done")); // done
 * try {
 *   await within({ signal, timeoutMs: 1 }, () => new Promise(() => {}));
 * } catch (error) {
 *   console.log(error instanceof TimeUp); // true
 * }
 * ```
 */
export async function within<T>(limit: TimeLimit, work: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
  const { clock = systemClock } = limit;
  limit.signal.throwIfAborted();
  const { signal, clear } = timeLimit(limit);
  try {
    // In an async function, `work` may also throw or return a plain value.
    return await withinDeadline({ clock, signal }, (async () => await work(signal))());
  } finally {
    clear();
  }
}
