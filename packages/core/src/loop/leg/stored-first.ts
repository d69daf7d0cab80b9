import type { Leg } from "./leg.ts";

/**
 * Stores the held events, before code outside of the loop can learn of them. Rejects with `DECIDE_AGAIN` if
 * another process has stored something first. Only the loop catches it.
 */
export async function storeHeld({ log }: Pick<Leg, "log">): Promise<void> {
  await log.barrier();
}

/**
 * Calls code of the application once the held events are stored. One of three gates to such code: `callHook`
 * is the gate for hooks, `validateFor` for schemas, `afterBarrier` for all else. Rejects with `DECIDE_AGAIN`
 * if another process has stored something first. Only the loop catches it.
 */
// Not async: if nothing is held, no promise is made.
export function afterBarrier<T>({ log }: Pick<Leg, "log">, call: () => T): T | Promise<Awaited<T>> {
  const stored = log.barrier();
  return stored === undefined ? call() : (stored.then(call) as Promise<Awaited<T>>);
}

/** The value that is thrown if the latest decision is void, because another process has stored something. */
export const DECIDE_AGAIN: unique symbol = Symbol("again");

/** Throws `cause` unless it is {@link DECIDE_AGAIN}. For callers that have made no decision. */
export function rethrowDecideAgain(cause: unknown): void {
  if (cause !== DECIDE_AGAIN) throw cause;
}
