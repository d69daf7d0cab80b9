/**
 * One by one what comes in batches, e.g. the events of a packet. A generator costs several turns of the microtask queue for
 * every item it yields, and an answer has thousands of them; this costs one.
 *
 * It is otherwise what a generator is: what is asked for at once comes in order, and to leave it early ends `batches`.
 *
 * @param isOver asked before every item; `true` ends it, and `batches` with it
 *
 * @example
 * ```ts
 * import { oneByOne } from "@pawl/core";
 *
 * async function* packets() {
 *   yield ["Hello", ", "];
 *   yield ["world"];
 * }
 * for await (const word of oneByOne(packets())) console.log(word);
 * ```
 */
export function oneByOne<T>(
  batches: AsyncGenerator<readonly T[], void, undefined>,
  isOver: () => boolean = () => false,
): AsyncGenerator<T, void, undefined> {
  let batch: readonly T[] = [];
  let at = 0;
  let filling: Promise<void> | undefined;
  const hasOne = () => filling === undefined && at < batch.length && !isOver();
  const take = (): IteratorResult<T, void> => {
    const value = batch[at] as T;
    at += 1;
    return { done: false, value };
  };
  let ended = false;
  const filled = ({ done, value }: IteratorResult<readonly T[], void>) => {
    filling = undefined;
    batch = value ?? [];
    at = 0;
    ended = done === true;
  };
  const broken = (error: unknown) => {
    filled({ done: true, value: undefined });
    throw error;
  };
  const wait = async (): Promise<IteratorResult<T, void>> => {
    while (!hasOne()) {
      if (filling === undefined && ended) return { done: true, value: undefined };
      filling ??= (isOver() ? batches.return() : batches.next()).then(filled, broken);
      await filling;
    }
    return take();
  };
  const end = async (): Promise<IteratorResult<T, void>> => {
    batch = [];
    await batches.return();
    return { done: true, value: undefined };
  };
  return {
    next: () => (hasOne() ? Promise.resolve(take()) : wait()),
    return: end,
    throw: async (error) => {
      await end();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await end();
    },
  };
}
