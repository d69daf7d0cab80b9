import { type EventStore, PawlError } from "@pawl/core";

/** A process that dies at this append, `before` it or `after` it is stored. */
export function dyingAt(
  store: EventStore,
  n: number,
  when: "before" | "after",
): { store: EventStore; isDead(): boolean } {
  let appends = 0;
  let dead = false;
  const alive = () => {
    if (dead) throw new PawlError("store_unavailable", "The process is dead.");
  };
  return {
    isDead: () => dead,
    store: {
      ...store,
      append: async (sessionId, events, options) => {
        alive();
        appends += 1;
        dead = appends === n;
        if (when === "before") alive();
        const rows = await store.append(sessionId, events, options);
        alive();
        return rows;
      },
      renew: async (...args) => {
        alive();
        return await store.renew(...args);
      },
      release: async (...args) => {
        alive();
        await store.release(...args);
      },
    },
  };
}
