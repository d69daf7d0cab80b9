import { systemClock } from "./clock.ts";
import { inNextTurn } from "./next-turn.ts";

/** How long no caller may begin, in milliseconds, before one that waits takes the turn. */
const STUCK_MS = 1_000;

/**
 * Returns a function that resolves when the caller may begin: one caller in each turn of the event loop, in
 * the order of their calls.
 *
 * Node calls all timers that are due before it looks at any socket. If each of thousands begins work over a
 * store that answers at once, the process is silent until all have begun, although each one awaits.
 *
 * Some platforms drop the callbacks of a request that is over. So every caller that waits has a timer of its
 * own: if no turn has come by then, it takes the next one.
 *
 * @example
 * ```ts
 * import { newPacer } from "@pawl/core/store";
 *
 * const pace = newPacer();
 * const parse = async (body: string) => {
 *   await pace();
 *   return JSON.parse(body);
 * };
 * console.log(await Promise.all([parse("1"), parse("2")])); // [ 1, 2 ]
 * ```
 */
export function newPacer(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let hasBegun = false;
  let turns = 0;
  const scheduleTurn = () => {
    turns += 1;
    const turn = turns;
    inNextTurn(() => {
      if (turn === turns) startTurn();
    });
  };
  const startTurn = () => {
    const begin = waiting.shift();
    hasBegun = begin !== undefined;
    if (begin === undefined) return;
    scheduleTurn();
    begin();
  };
  const wait = (resolve: () => void) => {
    let isOver = false;
    let cancel = (): void => undefined;
    const watch = () => {
      const seen = turns;
      const goOn = () => {
        if (seen === turns) startTurn();
        if (!isOver) watch();
      };
      cancel = systemClock.after(STUCK_MS, goOn, { background: true });
    };
    watch();
    waiting.push(() => {
      isOver = true;
      cancel();
      resolve();
    });
  };
  return async () => {
    if (hasBegun) return await new Promise(wait);
    hasBegun = true;
    scheduleTurn();
  };
}
