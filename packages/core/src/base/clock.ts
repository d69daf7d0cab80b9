/** Time, as everything that waits or measures gets it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `then` after so many milliseconds, at once with none left and never for `Infinity`. The result takes that back. */
  after(ms: number, then: () => void): () => void;
}

/** The longest time that a timer of the machine can be set for; a longer one would fire at once. */
const LONGEST = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: Date.now,
  after: (ms, then) => {
    if (ms === Number.POSITIVE_INFINITY) return () => undefined;
    let left = Math.max(ms, 0);
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      const step = Math.min(left, LONGEST);
      left -= step;
      timer = setTimeout(left > 0 ? wait : then, step);
    };
    wait();
    return () => clearTimeout(timer);
  },
};
