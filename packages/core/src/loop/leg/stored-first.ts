import type { Leg } from "./leg.ts";

/**
 * Stores what the leg holds before something outside can learn of it. Rejects with `DECIDE_AGAIN` if another
 * process came first: only the loop catches that.
 */
export async function storedFirst({ log }: Pick<Leg, "log">): Promise<void> {
  await log.barrier();
}

/**
 * Calls code of the application's, or something outside, once what the leg holds is stored. One of three
 * gates: `callHook` is the one for hooks, `validateFor` for schemas. Rejects with `DECIDE_AGAIN` if another
 * process came first: only the loop catches that.
 */
// Costs no promise if nothing is held.
export function asked<T>({ log }: Pick<Leg, "log">, call: () => T): T | Promise<Awaited<T>> {
  const stored = log.barrier();
  return stored === undefined ? call() : (stored.then(call) as Promise<Awaited<T>>);
}

/** Thrown if another process has stored something first, so that what was decided is void. */
export const DECIDE_AGAIN: unique symbol = Symbol("again");

/** Passes an error on, but for {@link DECIDE_AGAIN}: for callers that have decided nothing. */
export function unlessAgain(cause: unknown): void {
  if (cause !== DECIDE_AGAIN) throw cause;
}
