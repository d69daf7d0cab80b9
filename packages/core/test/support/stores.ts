import { type EventStore, PawlError } from "../../src/index.ts";
import type { AppendOptions, NewEvent } from "../../src/store.ts";
import { never } from "./setup.ts";

/** Runs before the events of an append are stored. */
export type BeforeAppend = (
  events: readonly NewEvent[],
  sessionId: string,
  options: AppendOptions,
) => void | Promise<void>;

/** Runs `act` before each append. If it throws, the append throws the same and stores nothing. */
export function beforeAppend<S extends EventStore>(store: S, act: BeforeAppend): S {
  return {
    ...store,
    append: async (sessionId, events, options) => {
      await act(events, sessionId, options);
      return await store.append(sessionId, events, options);
    },
  };
}

/** Makes the store unavailable for the appends for which `fails` returns true. */
export function failingStore<S extends EventStore>(
  store: S,
  fails: (events: readonly NewEvent[]) => boolean,
): S {
  return beforeAppend(store, (events) => {
    if (fails(events)) throw new PawlError("store_unavailable", "down");
  });
}

/** Returns whether an event of this type is among them. */
export const has = (events: readonly { type: string }[], type: string): boolean =>
  events.some((event) => event.type === type);

/**
 * The store of a process that dies at the append for which `dies` returns true. That append is the last one
 * stored, or with `isStored: false` the first one lost. Then no append returns, and no renewal of a lease,
 * although the timers of the process go on in the test.
 */
export function dyingStore<S extends EventStore>(
  store: S,
  dies: (events: readonly NewEvent[], sessionId: string) => boolean,
  { isStored = true } = {},
): S & { readonly dead: boolean } {
  let dead = false;
  return {
    ...store,
    get dead() {
      return dead;
    },
    append: async (sessionId, events, options) => {
      if (!isStored) dead ||= dies(events, sessionId);
      if (dead) return await never();
      const rows = await store.append(sessionId, events, options);
      if (isStored) dead ||= dies(events, sessionId);
      return dead ? await never() : rows;
    },
    renew: async (lease, ttlMs) => (dead ? await never() : await store.renew(lease, ttlMs)),
  };
}
