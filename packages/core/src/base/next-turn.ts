/** Calls back in the next turn of the event loop. */
export function inNextTurn(callback: () => void): void {
  if (globalThis.setImmediate === undefined) setTimeout(callback, 0);
  else setImmediate(callback);
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise(inNextTurn);
}

/** How many items a loop visits in one turn of the event loop. */
export const ITEMS_A_TURN = 500;

/**
 * Yields the items. Gives way to the event loop after every 500 of them, so that a loop over a long session
 * does not stop the process: a store in memory, or SQLite, reads without waiting.
 */
export async function* givingWay<T>(
  items: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<T, void, undefined> {
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    if (count % ITEMS_A_TURN === 0) await nextTurn();
  }
}
