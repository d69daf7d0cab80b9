/**
 * One by one what comes in batches, e.g. the events of a packet. A generator costs several turns of the
 * microtask queue for every item it yields, and an answer has thousands of them; this costs one.
 *
 * It is otherwise what a generator is: what is asked of it at once is done in order, to leave it early ends
 * `batches`, and after its end or an error there is nothing more.
 *
 * @param isOver asked before every item; `true` ends it, and `batches` with it
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
export function oneByOne<T>(
  batches: AsyncGenerator<readonly T[], void, undefined>,
  isOver?: () => boolean,
): AsyncGenerator<T, void, undefined> {
  type Result = IteratorResult<T, void>;
  let batch: readonly T[] = [];
  let at = 0;
  /** What was asked for is not there yet, and who waits for their turn. */
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
