/**
 * Returns a getter that creates its object on the first call and returns the same object on every later call.
 */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
