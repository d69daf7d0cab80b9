/**
 * Flattens batches, e.g. the events of a packet, into an async generator of their items.
 *
 * Concurrent calls of `next()` are answered in order. Leaving the loop early ends `batches` too. No items
 * follow the end or an error.
 *
 * @param isOver called before every item; `true` ends both generators
 *
 * @example
 * ```ts
 * import { oneByOne } from "@pawl/core/model";
 *
 * async function* packets() {
 *   yield ["Hello", ", "];
 *   yield ["world"];
 * }
 * for await (const word of oneByOne(packets())) console.log(word);
 * ```
 */
// Not a generator function, which takes several microtask turns per item instead of one. An answer has
// thousands of items.
export function oneByOne<T>(
  batches: AsyncGenerator<readonly T[], void, undefined>,
  isOver?: () => boolean,
): AsyncGenerator<T, void, undefined> {
  type Result = IteratorResult<T, void>;
  let batch: readonly T[] = [];
  let position = 0;
  /** Whether a call of `next()` is in progress. Later calls queue in `waiting`. */
  let isBusy = false;
  const waiting: (() => void)[] = [];

  const hasItem = () => position < batch.length && isOver?.() !== true;
  const takeItem = (): Result => {
    const value = batch[position] as T;
    position += 1;
    return { done: false, value };
  };
  /** Ends `batches`, and then this generator. */
  const end = async (): Promise<Result> => {
    batch = [];
    await batches.return();
    return { done: true, value: undefined };
  };
  /** Reads batches until there is an item, and returns it. */
  const fetch = async (): Promise<Result> => {
    while (!hasItem()) {
      if (isOver?.()) return await end();
      batch = [];
      const { done, value } = await batches.next();
      if (done === true) return { done, value };
      batch = value;
      position = 0;
    }
    return takeItem();
  };
  /** Does work after all calls in progress. */
  const inTurn = async (work: () => Promise<Result>): Promise<Result> => {
    if (isBusy) await new Promise<void>((resolve) => waiting.push(resolve));
    isBusy = true;
    try {
      return await work();
    } finally {
      const wakeNext = waiting.shift();
      if (wakeNext === undefined) isBusy = false;
      else wakeNext();
    }
  };
  return {
    next: () => (!isBusy && hasItem() ? Promise.resolve(takeItem()) : inTurn(fetch)),
    return: () => inTurn(end),
    throw: (error) =>
      inTurn(async () => {
        await end();
        throw error;
      }),
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await this.return();
    },
  };
}
