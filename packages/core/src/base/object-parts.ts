/**
 * Returns the data of a platform object that is not in its own fields, e.g. the entries of a `Map`. Returns
 * nothing for other objects. Never consumes a stream.
 */
export function platformData(value: object): Iterable<unknown> {
  if (value instanceof URL) return [value.href];
  if (value instanceof Request || value instanceof Response) return [value.url, value.headers];
  const isIterable = [Map, Set, Headers, URLSearchParams, FormData].some((type) => value instanceof type);
  return isIterable ? (value as Iterable<unknown>) : [];
}

/**
 * Returns an object's own fields. With `callGetters`, also returns the getters of its classes. The value of a
 * getter is `undefined` if it throws or is not called.
 *
 * @param callGetters whether to call getters, which may have side effects; default: only for errors
 */
export function fieldsOf(
  value: object,
  callGetters: boolean = value instanceof Error,
): [key: string | symbol, part: unknown][] {
  const keys = new Set(Reflect.ownKeys(value));
  let prototype = callGetters ? Object.getPrototypeOf(value) : null;
  while (prototype !== null && prototype !== Error.prototype && prototype !== Object.prototype) {
    for (const key of Reflect.ownKeys(prototype)) {
      if (Object.getOwnPropertyDescriptor(prototype, key)?.get !== undefined) keys.add(key);
    }
    prototype = Object.getPrototypeOf(prototype);
  }
  return [...keys].map((key) => [key, fieldIn(value, key, callGetters)]);
}

function fieldIn(value: object, key: string | symbol, callGetters: boolean): unknown {
  const own = Object.getOwnPropertyDescriptor(value, key);
  if (own !== undefined && "value" in own) return own.value;
  if (!callGetters) return undefined;
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}
