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

/**
 * What the work comes to. When its time is up or it is called off, the signal that it is given fires, and it is left behind
 * whether it minds that or not.
 */
export async function within<T>(
  { signal, timeoutMs, clock }: Patience,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const control = new AbortController();
  const { promise: given, reject } = Promise.withResolvers<never>();
  const giveUp = (reason: unknown) => {
    control.abort(reason);
    reject(reason);
  };
  const callOff = () => giveUp(signal.reason);
  const cancel = clock.after(timeoutMs, () => giveUp(new TimeUp(timeoutMs)));
  signal.addEventListener("abort", callOff, { once: true });
  try {
    return await Promise.race([(async () => await work(control.signal))(), given]);
  } finally {
    cancel();
    signal.removeEventListener("abort", callOff);
  }
}
