import { inNextTurn } from "./next-turn.ts";

/**
 * Returns a function that resolves when the caller may begin. At most `most` callers begin in one turn of the
 * event loop, in the order of their calls.
 *
 * Node calls all timers that are due before it looks at any socket. If each of thousands begins work over a
 * store that answers at once, the process is silent until all have begun, although each one awaits.
 */
export function newPacer(most: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let begun = 0;
  const startTurn = () => {
    const next = waiting.splice(0, most);
    begun = next.length;
    if (begun > 0) inNextTurn(startTurn);
    for (const begin of next) begin();
  };
  return async () => {
    if (begun === most) return await new Promise((resolve) => waiting.push(resolve));
    if (begun === 0) inNextTurn(startTurn);
    begun += 1;
  };
}
