import type { EventStore } from "@pawl/core";

/** Returns the store's methods as an object that can be spread, with those that a store may lack. */
export function passThrough(store: EventStore): EventStore {
  const { watch, open, saveSnapshot, appendWith } = store;
  return {
    append: store.append.bind(store),
    read: store.read.bind(store),
    acquire: store.acquire.bind(store),
    renew: store.renew.bind(store),
    release: store.release.bind(store),
    listRecoverable: store.listRecoverable.bind(store),
    sessions: store.sessions,
    ...(appendWith && { appendWith: appendWith.bind(store) }),
    ...(open && { open: open.bind(store) }),
    ...(saveSnapshot && { saveSnapshot: saveSnapshot.bind(store) }),
    ...(watch && { watch: watch.bind(store) }),
  };
}
