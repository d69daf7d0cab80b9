/**
 * One by one what comes in batches. A generator would cost several turns of the microtask queue for every item, and an
 * answer has thousands.
 */
export function oneByOne<T>(batches: AsyncGenerator<readonly T[]>): AsyncIterableIterator<T> {
  let batch: readonly T[] = [];
  let next = 0;
  const item = (): IteratorResult<T> => {
    const value = batch[next] as T;
    next += 1;
    return { done: false, value };
  };
  const refill = async (): Promise<IteratorResult<T>> => {
    while (next >= batch.length) {
      const { done, value } = await batches.next();
      if (done === true) return { done: true, value: undefined };
      batch = value;
      next = 0;
    }
    return item();
  };
  return {
    next: () => (next < batch.length ? Promise.resolve(item()) : refill()),
    return: async () => {
      await batches.return(undefined);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
