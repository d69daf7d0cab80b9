import type { EventStore } from "../log/store/event-store.ts";

/** Returns the store's methods as an object that can be spread, even if the store is a class instance. */
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
