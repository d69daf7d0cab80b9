/** Keeps a promise in the set until it settles, and returns it. */
export function counted<T>(works: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  works.add(work);
  const forget = () => works.delete(work);
  work.then(forget, forget);
  return work;
}
