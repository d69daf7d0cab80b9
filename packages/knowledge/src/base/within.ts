import type { Clock } from "@pawl/core";

/** A time limit in milliseconds, and a signal that cancels the work. */
export interface TimeLimit {
  signal: AbortSignal;
  timeoutMs: number;
  clock: Clock;
}

/** The error of `within` when the time is up. */
export class TimeUp extends Error {
  constructor(timeoutMs: number) {
    super(`It took longer than ${timeoutMs} ms.`);
    this.name = "TimeUp";
  }
}

/** Makes a signal that aborts when the time is up or `signal` aborts. Call `clear` when the work is done. */
export function timeLimit({ signal, timeoutMs, clock }: TimeLimit): { signal: AbortSignal; clear(): void } {
  const control = new AbortController();
  const callOff = () => control.abort(signal.reason);
  const cancel = clock.after(timeoutMs, () => control.abort(new TimeUp(timeoutMs)));
  if (signal.aborted) callOff();
  else signal.addEventListener("abort", callOff, { once: true });
  const clear = () => {
    cancel();
    signal.removeEventListener("abort", callOff);
  };
  return { signal: control.signal, clear };
}

/**
 * Runs work within a time limit. When the time is up or `limit.signal` aborts, the work's signal aborts. Work
 * that ignores its signal is abandoned.
 *
 * @throws TimeUp when the time is up; the signal's reason if it aborts; and any error of the work.
 */
export async function within<T>(limit: TimeLimit, work: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
  limit.signal.throwIfAborted();
  const { signal, clear } = timeLimit(limit);
  const { promise: given, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  try {
    return await Promise.race([(async () => await work(signal))(), given]);
  } finally {
    clear();
  }
}
