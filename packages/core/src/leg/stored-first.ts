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
