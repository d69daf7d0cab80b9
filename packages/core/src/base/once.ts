/**
 * Returns a getter that creates its value on the first call and returns the same value on every later call.
 */
export function lazy<T extends object | string>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
