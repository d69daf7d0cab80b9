import { systemClock } from "@pawl/core";
import { backoff } from "@pawl/core/model";
import { noAnswer, type Ran, RemoteFailure } from "./remote-failure.ts";

/** How long and how often a request is tried. */
export interface Patience {
  signal: AbortSignal;
  /** Time limit of all attempts together, in milliseconds. */
  timeoutMs: number;
  /** The most attempts after the first one. */
  retries: number;
}

/** The waits between attempts, unless the server asks for another one. */
const WAITS = { baseMs: 250, maxMs: 5_000 };

/**
 * Tries until an attempt succeeds, fails for good, or the time is over. Waits double, and a quarter of each
 * is random; a wait that the server asks for is used instead.
 *
 * @throws RemoteFailure, or the signal's reason
 */
export async function withAttempts<T>(
  { signal, timeoutMs, retries }: Patience,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeUp = new AbortController();
  const endsAt = systemClock.now() + timeoutMs;
  const cancel = systemClock.after(timeoutMs, () => timeUp.abort(noAnswer(timeoutMs)));
  const both = AbortSignal.any([signal, timeUp.signal]);
  let ran: Ran = "no";
  try {
    for (let tries = 0; ; tries += 1) {
      try {
        return await raced(both, attempt(both));
      } catch (cause) {
        if (both.aborted) throw both.reason;
        if (!(cause instanceof RemoteFailure)) throw cause;
        const failure = cause.after(ran);
        ran = failure.ran;
        const waitMs = failure.retryAfterMs ?? backoff(tries + 1, WAITS);
        if (!failure.isPassing || tries >= retries || systemClock.now() + waitMs >= endsAt) throw failure;
        await raced(both, new Promise<void>((resolve) => systemClock.after(waitMs, resolve)));
      }
    }
  } finally {
    cancel();
  }
}

/** Waits for work. Rejects with the signal's reason when it aborts, whatever the work does. */
export async function raced<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
