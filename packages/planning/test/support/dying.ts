import { type EventStore, memoryStore } from "@pawl/core";
import { expect } from "vitest";
import { crashingStore } from "../../../../test/support/crashing-store.ts";

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
      const dying = crashingStore(store, n, when);
      const failure = await tell(dying).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (!dying.dead) {
        expect(failure).toBeUndefined();
        return n - 1;
      }
      clock += 600_000;
      await check(`${when} append ${n}`, store, await tell(store));
    }
  }
}
