import { tryAgain } from "../base/try-again.ts";
import type { EventStore } from "../log/event-store.ts";
import { wrapStore } from "./wrap-store.ts";

/**
 * The store with appends that are tried again when it was unavailable. The append id makes that safe: what
 * was stored although nobody was told is not stored twice. `delaysMs` are the pauses between the tries.
 */
export function retryingStore(store: EventStore, delaysMs: readonly number[]): EventStore {
  const append: EventStore["append"] = (sessionId, events, options) =>
    tryAgain(delaysMs, () => store.append(sessionId, events, options));
  return { ...wrapStore(store), append };
}
