/** Returns what an object of the platform has besides its own fields. Never consumes a stream. */
export function platformData(value: object): Iterable<unknown> {
  if (value instanceof URL) return [value.href];
  if (value instanceof Request || value instanceof Response) return [value.url, value.headers];
  const isData = [Map, Set, Headers, URLSearchParams, FormData].some((type) => value instanceof type);
  return isData ? (value as Iterable<unknown>) : [];
}

/**
 * Returns an object's own fields. With `computed`, also the ones that its classes compute. A field that
 * throws is `undefined`.
 *
 * @param computed whether getters are called, which may do anything; default: for errors only
 */
export function fieldsOf(
  value: object,
  computed: boolean = value instanceof Error,
): [key: string | symbol, part: unknown][] {
  const keys = new Set(Reflect.ownKeys(value));
  for (let type = computed ? Object.getPrototypeOf(value) : null; type !== null; ) {
    if (type === Error.prototype || type === Object.prototype) break;
    for (const key of Reflect.ownKeys(type)) {
      if (Object.getOwnPropertyDescriptor(type, key)?.get !== undefined) keys.add(key);
    }
    type = Object.getPrototypeOf(type);
  }
  return [...keys].map((key) => [key, fieldIn(value, key, computed)]);
}

function fieldIn(value: object, key: string | symbol, computed: boolean): unknown {
  const own = Object.getOwnPropertyDescriptor(value, key);
  if (own !== undefined && "value" in own) return own.value;
  if (!computed) return undefined;
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}
