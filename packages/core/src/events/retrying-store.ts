import { PawlError } from "../errors.ts";
import { bound } from "./bound.ts";
import type { EventStore } from "./event-store.ts";

/**
 * The store with appends that are tried again when it was unavailable. The append id makes that safe: what was stored
 * although nobody was told is not stored twice. `delaysMs` are the pauses between the tries.
 */
export function retryingStore(store: EventStore, delaysMs: readonly number[]): EventStore {
  const append: EventStore["append"] = (sessionId, events, options) =>
    tryAgain(delaysMs, () => store.append(sessionId, events, options));
  return { ...bound(store), append };
}

/** Makes a call that may be repeated, again after each pause as long as the store is unavailable. */
export async function tryAgain<T>(delaysMs: readonly number[], call: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const delay = delaysMs[tries];
      if (delay === undefined || !PawlError.is(error, "store_unavailable")) throw error;
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}
