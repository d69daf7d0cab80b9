import { fieldsOf, platformData } from "./object-parts.ts";

/** Replaces secrets in the strings of a value. Returns a value without secrets unchanged. */
type Hide = <T>(value: T) => T;

/**
 * Returns an error that repeats no secrets: in its message, stack and other fields, in its causes, and in the
 * errors of an `AggregateError`. Does not change the given error. Returns it if it repeats no secret, and
 * otherwise a copy with the same prototype. An object in its fields that cannot be copied, e.g. a request,
 * becomes `…` in the copy if it repeats a secret.
 *
 * @param hide replaces secrets in a string
 */
export function hideInError(error: unknown, hide: Hide): unknown {
  try {
    return repeats(error, hide) ? copier(hide)(error) : error;
  } catch {
    // An exotic object, e.g. a revoked proxy.
    return new Error("This error cannot be shown, because it may contain credentials.");
  }
}

/** The most objects of an error that are searched. Objects beyond that are not shown. */
const MOST_OBJECTS = 20_000;

/**
 * Returns whether a string in a value, at any depth, repeats a secret, or there are more than `most.left`
 * objects to search.
 */
function repeats(value: unknown, hide: Hide, most = { left: MOST_OBJECTS }): boolean {
  const waiting: unknown[] = [value];
  const seen = new Set<unknown>();
  for (let next = waiting.pop(); next !== undefined || waiting.length > 0; next = waiting.pop()) {
    if (typeof next === "string" && hide(next) !== next) return true;
    if (typeof next !== "object" || next === null || ArrayBuffer.isView(next) || seen.has(next)) continue;
    if (most.left-- <= 0) return true;
    seen.add(next);
    for (const [key, part] of fieldsOf(next)) waiting.push(key, part);
    for (const part of platformData(next)) waiting.push(part);
  }
  return false;
}

/** Returns a function that copies values without secrets. An object is copied once, so that cycles end. */
function copier(hide: Hide): (value: unknown) => unknown {
  const copies = new Map<object, unknown>();
  const most = { left: MOST_OBJECTS };
  const copy = (value: unknown): unknown => {
    if (typeof value === "string") return hide(value);
    if (typeof value !== "object" || value === null) return value;
    if (copies.has(value)) return copies.get(value);
    if (value instanceof Error) return copyError(value);
    const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(value));
    if (!isPlain && !Array.isArray(value)) {
      copies.set(value, repeats(value, hide, most) ? "…" : value);
      return copies.get(value);
    }
    const made: object = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value));
    copies.set(value, made);
    addFields(made, value);
    return made;
  };
  const copyError = (error: Error): Error => {
    // A real error, which consoles and reporters recognise, of the same classes.
    const made = Object.setPrototypeOf(new Error(), Object.getPrototypeOf(error));
    delete made.stack;
    copies.set(error, made);
    addFields(made, error);
    return made;
  };
  const addFields = (made: object, from: object): void => {
    for (const [key, part] of fieldsOf(from)) {
      if (Array.isArray(from) && key === "length") continue;
      const own = Object.getOwnPropertyDescriptor(from, key);
      const shown = typeof key === "string" ? hide(key) : key;
      Object.defineProperty(made, shown, {
        value: copy(part),
        enumerable: own?.enumerable ?? false,
        writable: true,
        configurable: true,
      });
    }
  };
  return copy;
}
