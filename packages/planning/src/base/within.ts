import { type Clock, systemClock } from "@pawl/core";

/**
 * Runs a function of the application within a time limit. Its signal aborts when the time is up or `signal`
 * aborts. A function that ignores its signal is abandoned.
 *
 * @throws Error when the time is up; the signal's reason if it aborts; and any error of the function.
 */
export async function within<T>(
  { signal, timeoutMs, clock = systemClock }: { signal: AbortSignal; timeoutMs: number; clock?: Clock },
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const control = new AbortController();
  const either = AbortSignal.any([signal, control.signal]);
  const cancel = clock.after(timeoutMs, () =>
    control.abort(new Error(`It took longer than ${timeoutMs} ms.`)),
  );
  const { promise: given, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(either.reason);
  either.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([(async () => await work(either))(), given]);
  } finally {
    either.removeEventListener("abort", giveUp);
    cancel();
  }
}
