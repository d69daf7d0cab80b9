import type { Clock } from "../base/clock.ts";
import { tryAgain } from "../base/try-again.ts";
import type { EventStore } from "../log/store/event-store.ts";
import { wrapStore } from "./wrap-store.ts";

/**
 * Wraps a store so that appends and `open` are retried while it is unavailable. The append id makes that
 * safe: an append that was stored without an acknowledgement is not stored twice. So does the holder's name:
 * a holder that opens a session again gets its lease again. `delaysMs` are the delays between the attempts,
 * in milliseconds.
 */
export function retryingStore(store: EventStore, delaysMs: readonly number[], clock: Clock): EventStore {
  const append: EventStore["append"] = (sessionId, events, options) =>
    tryAgain(clock, delaysMs, () => store.append(sessionId, events, options));
  const wrapped = wrapStore(store);
  const { open, appendWith } = wrapped;
  return {
    ...wrapped,
    append,
    ...(appendWith && { appendWith: (...given) => tryAgain(clock, delaysMs, () => appendWith(...given)) }),
    ...(open && { open: (session) => tryAgain(clock, delaysMs, () => open(session)) }),
  };
}
