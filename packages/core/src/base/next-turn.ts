/** Calls back in the next turn of the event loop. */
export function inNextTurn(callback: () => void): void {
  if (globalThis.setImmediate === undefined) setTimeout(callback, 0);
  else setImmediate(callback);
}

/**
 * Resolves in the next turn of the event loop, after timers, sockets and other input. A loop over sessions or
 * events awaits this now and then: awaiting a store that answers at once, e.g. SQLite, lets nothing else run.
 */
export function turnOfLoop(): Promise<void> {
  return new Promise(inNextTurn);
}

/** How many items a loop visits in one turn of the event loop. */
export const ITEMS_A_TURN = 500;

/**
 * Yields the items, and gives way to the event loop after every 500 of them. Use it for loops over the events
 * of a session: a store in memory, or SQLite, never waits, so a long session would block the process.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@pawl/core";
 * import { givingWay } from "@pawl/core/store";
 *
 * const store = memoryStore();
 * await store.sessions.create({ id: "s1", userId: "u1", agent: "coach" });
 * await store.append("s1", [{ type: "note", data: { text: "hello" } }], { appendId: "a1" });
 * for await (const { seq } of givingWay(store.read("s1"))) console.log(seq); // 1
 * ```
 */
export async function* givingWay<T>(
  items: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<T, void, undefined> {
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    if (count % ITEMS_A_TURN === 0) await turnOfLoop();
  }
}
