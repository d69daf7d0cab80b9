/** Items that are read one at a time. */
export interface Source<T> {
  /** Returns the next item, or `nothing` if none arrived within `ms`. */
  next(ms: number): Promise<IteratorResult<T> | "nothing">;
  close(): void;
}

/**
 * Wraps an iterator, so that waiting for the next item can time out. An item that arrives after a timeout is
 * returned by the next call.
 */
export function oneAtATime<T>(items: AsyncIterable<T>): Source<T> {
  const iterator = items[Symbol.asyncIterator]();
  let asked = false;
  let got: { result: IteratorResult<T> } | { error: unknown } | undefined;
  let wake: () => void = () => undefined;
  const ask = () =>
    iterator
      .next()
      .then(
        (result) => {
          got = { result };
        },
        (error: unknown) => {
          got = { error };
        },
      )
      .then(() => wake());
  return {
    async next(ms) {
      if (!asked) {
        asked = true;
        void ask();
      }
      if (got === undefined) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const arrived = got;
      if (arrived === undefined) return "nothing";
      got = undefined;
      asked = false;
      if ("error" in arrived) throw arrived.error;
      return arrived.result;
    },
    close() {
      wake();
      iterator.return?.().catch(() => undefined);
    },
  };
}
