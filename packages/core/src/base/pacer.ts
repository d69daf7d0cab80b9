import { inNextTurn } from "./next-turn.ts";

/**
 * Returns a function that resolves when the caller may begin: one caller in each turn of the event loop, in
 * the order of their calls.
 *
 * Node calls all timers that are due before it looks at any socket. If each of thousands begins work over a
 * store that answers at once, the process is silent until all have begun, although each one awaits.
 */
export function newPacer(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let hasBegun = false;
  const startTurn = () => {
    const begin = waiting.shift();
    hasBegun = begin !== undefined;
    if (begin === undefined) return;
    inNextTurn(startTurn);
    begin();
  };
  return async () => {
    if (hasBegun) return await new Promise((resolve) => waiting.push(resolve));
    hasBegun = true;
    inNextTurn(startTurn);
  };
}
