import type { EventStore, StoredEvent } from "@pawl/core";

/** Changes each event that a store returns, by `read` and by `open`: what it appends stays as it is. */
export function changedEvents<S extends EventStore>(
  store: S,
  change: (event: StoredEvent) => StoredEvent,
): S {
  return {
    ...store,
    // Without a snapshot, whose state would be of the events as they are.
    open: async ({ snapshot: _, ...wanted }) => {
      const opened = await store.open?.(wanted);
      return opened && { ...opened, events: opened.events.map(change) };
    },
    read: async function* (...args) {
      for await (const event of store.read(...args)) yield change(event);
    },
  };
}
