import type { Clock } from "@pawl/core";

/** How long something may take, and whoever may call it off. */
export interface Patience {
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

/** A signal that fires when the time is up or the work is called off. `clear` is called when it is done. */
export function timeLimit({ signal, timeoutMs, clock }: Patience): { signal: AbortSignal; clear(): void } {
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
 * What the work comes to. When its time is up or it is called off, the signal that it is given fires, and it
 * is left behind whether it minds that or not.
 */
export async function within<T>(
  patience: Patience,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  patience.signal.throwIfAborted();
  const { signal, clear } = timeLimit(patience);
  const { promise: given, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  try {
    return await Promise.race([(async () => await work(signal))(), given]);
  } finally {
    clear();
  }
}
