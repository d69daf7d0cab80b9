/** Returns a getter that makes its value at the first call and returns the same one from then on. */
export function once<T extends object | string>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
