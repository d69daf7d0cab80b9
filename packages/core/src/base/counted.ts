/** Adds a promise to the set `pending`, removes it when it settles, and returns it. */
export function trackUntilSettled<T>(pending: Set<Promise<unknown>>, promise: Promise<T>): Promise<T> {
  pending.add(promise);
  const forget = () => pending.delete(promise);
  promise.then(forget, forget);
  return promise;
}
