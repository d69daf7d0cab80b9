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
  let at = 0;
  /** Whether a call of `next()` is in progress. Later calls queue in `waiting`. */
  let busy = false;
  const waiting: (() => void)[] = [];

  const hasOne = () => at < batch.length && isOver?.() !== true;
  const take = (): Result => {
    const value = batch[at] as T;
    at += 1;
    return { done: false, value };
  };
  const end = async (): Promise<Result> => {
    batch = [];
    await batches.return();
    return { done: true, value: undefined };
  };
  const fetch = async (): Promise<Result> => {
    while (!hasOne()) {
      if (isOver?.()) return await end();
      batch = [];
      const { done, value } = await batches.next();
      if (done === true) return { done, value };
      batch = value;
      at = 0;
    }
    return take();
  };
  const inTurn = async (work: () => Promise<Result>): Promise<Result> => {
    if (busy) await new Promise<void>((resolve) => waiting.push(resolve));
    busy = true;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) busy = false;
      else next();
    }
  };
  return {
    next: () => (!busy && hasOne() ? Promise.resolve(take()) : inTurn(fetch)),
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
