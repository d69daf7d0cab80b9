import { onTestFinished } from "vitest";

/** Counts what happens in one turn of the event loop. Ends with the test. */
export function countedTurns() {
  let [now, most, ticks, isOver] = [0, 0, 0, false];
  const tick = () => {
    ticks += 1;
    now = 0;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  onTestFinished(() => {
    isOver = true;
  });
  return {
    /** Call it each time it happens. */
    count: (): void => {
      now += 1;
      most = Math.max(most, now);
    },
    /** Forgets what happened before. */
    reset: (): void => {
      [now, most, ticks] = [0, 0, 0];
    },
    /** How often it happened in one turn, at most. */
    most: (): number => most,
    /** How many turns there were. */
    ticks: (): number => ticks,
  };
}
