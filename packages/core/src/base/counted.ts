/** Keeps a promise in the set until it settles, and returns it. */
export function counted<T>(works: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  works.add(work);
  const forget = () => works.delete(work);
  work.then(forget, forget);
  return work;
}

/** Keeps each read of the generator in the set until it settles. */
export function counting<T>(
  reads: Set<Promise<unknown>>,
  generator: AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  const { next, return: end } = generator;
  return Object.assign(generator, {
    next: () => counted(reads, next.call(generator)),
    return: () => counted(reads, end.call(generator)),
  });
}
