import { type EventStore, PawlError, type StoredEvent } from "@pawl/core";

/** A store that simulates the death of its process at one append. */
export interface CrashingStore extends EventStore {
  /** The number of appends that have begun. */
  readonly appends: number;
  /** The acknowledged events. */
  readonly acknowledged: readonly StoredEvent[];
  readonly dead: boolean;
}

/**
 * Passes all calls to `store` until append number `at`, counted from 1. At that append the process dies:
 * `before` its events are stored, or `after` they are stored but not acknowledged. From then on no call
 * passes.
 */
export function crashingStore(store: EventStore, at: number, when: "before" | "after"): CrashingStore {
  const state = { appends: 0, dead: false, acknowledged: [] as StoredEvent[] };
  const alive = () => {
    if (state.dead) throw new PawlError("store_unavailable", "The process is dead.");
  };
  const { open } = store;
  return {
    get appends() {
      return state.appends;
    },
    get acknowledged() {
      return state.acknowledged;
    },
    get dead() {
      return state.dead;
    },
    append: async (sessionId, events, options) => {
      alive();
      state.appends += 1;
      const dies = state.appends === at;
      if (dies) state.dead = true;
      if (dies && when === "before") alive();
      const rows = await store.append(sessionId, events, options);
      if (dies) alive();
      state.acknowledged.push(...rows);
      return rows;
    },
    read: async function* (sessionId, options) {
      alive();
      for await (const event of store.read(sessionId, options)) {
        alive();
        yield event;
      }
    },
    ...(open && {
      open: async (wanted) => {
        alive();
        const opened = await open.call(store, wanted);
        alive();
        return opened;
      },
    }),
    acquire: async (...args) => {
      alive();
      return await store.acquire(...args);
    },
    renew: async (...args) => {
      alive();
      return await store.renew(...args);
    },
    release: async (...args) => {
      alive();
      await store.release(...args);
    },
    listRecoverable: async (...args) => {
      alive();
      return await store.listRecoverable(...args);
    },
    sessions: {
      create: async (session) => {
        alive();
        return await store.sessions.create(session);
      },
      get: async (id) => {
        alive();
        return await store.sessions.get(id);
      },
      list: async (options) => {
        alive();
        return await store.sessions.list(options);
      },
    },
  };
}
