import type { Clock } from "@pawl/core";

/** How long work may take, and what cancels it. */
export interface TimeLimit {
  signal: AbortSignal;
  timeoutMs: number;
  clock: Clock;
}

/** What `within` rejects with when the time is up. */
export class TimeUp extends Error {
  constructor(timeoutMs: number) {
    super(`It took longer than ${timeoutMs} ms.`);
    this.name = "TimeUp";
  }
}

/** Makes a signal that aborts at the time-out or with `signal`. Call `clear` when the work is done. */
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
 * Runs work within a time limit. At the time-out or when `limit.signal` aborts, the work's signal aborts,
 * and work that ignores it is abandoned.
 *
 * @throws TimeUp at the time-out, or the signal's reason.
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
