import type { EventStore } from "../log/store/event-store.ts";

/**
 * Returns an object with the store's methods. It can be spread, even if the store is an instance of a class.
 * It has only those optional methods that the store has.
 */
export function wrapStore(store: EventStore): EventStore {
  const { watch, open, saveSnapshot, appendWith } = store;
  return {
    append: (...args) => store.append(...args),
    read: (...args) => store.read(...args),
    acquire: (...args) => store.acquire(...args),
    renew: (...args) => store.renew(...args),
    release: (...args) => store.release(...args),
    listRecoverable: (...args) => store.listRecoverable(...args),
    sessions: store.sessions,
    ...(appendWith && { appendWith: (...args) => appendWith.apply(store, args) }),
    ...(open && { open: (...args) => open.apply(store, args) }),
    ...(saveSnapshot && { saveSnapshot: (...args) => saveSnapshot.apply(store, args) }),
    ...(watch && { watch: (...args) => watch.apply(store, args) }),
  };
}
