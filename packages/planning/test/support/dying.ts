import { type EventStore, memoryStore, PawlError } from "@pawl/core";
import { expect } from "vitest";

/** A process that dies at this append, `before` it or `after` it is stored. */
function dyingAt(store: EventStore, n: number, when: "before" | "after"): EventStore & { isDead(): boolean } {
  let appends = 0;
  let dead = false;
  const alive = () => {
    if (dead) throw new PawlError("store_unavailable", "The process is dead.");
  };
  return {
    isDead: () => dead,
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
  };
}

/**
 * Tells a story in a process that dies at its first append, then to the end in another one, and checks the
 * outcome. Repeats that for every append, before and after it is stored. Returns their number.
 */
export async function atEveryAppend<T>(
  tell: (store: EventStore) => Promise<T>,
  check: (where: string, store: EventStore, told: T) => Promise<void>,
): Promise<number> {
  for (let n = 1; ; n += 1) {
    for (const when of ["before", "after"] as const) {
      let clock = Date.UTC(2026, 10, 20);
      const store = memoryStore({ now: () => clock });
      const dying = dyingAt(store, n, when);
      const failure = await tell(dying).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (!dying.isDead()) {
        expect(failure).toBeUndefined();
        return n - 1;
      }
      clock += 600_000;
      await check(`${when} append ${n}`, store, await tell(store));
    }
  }
}
