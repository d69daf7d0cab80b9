import { fieldsOf, platformData } from "./object-parts.ts";

/** Replaces secrets in the strings of a value. Returns a string without secrets unchanged. */
type Hide = <T>(value: T) => T;

/**
 * Hides the secrets in an error: in its message, stack and other fields, in its causes, and in the errors of
 * an `AggregateError`. Returns the error itself if it contains no secret, and otherwise a copy with the same
 * prototype. If an object that cannot be copied, e.g. a request, contains a secret, it becomes `…` in the
 * copy.
 *
 * @param hide replaces secrets in a string
 */
export function hideInError(error: unknown, hide: Hide): unknown {
  try {
    return containsSecret(error, hide) ? copier(hide)(error) : error;
  } catch {
    // The error has an exotic object, e.g. a revoked proxy.
    return new Error("This error cannot be shown, because it may contain credentials.");
  }
}

/** How many objects of an error are searched. An object beyond that counts as one with a secret. */
const MOST_OBJECTS = 20_000;

/**
 * Returns whether a string in a value, at any depth, contains a secret. Also returns `true` if there are more
 * than `search.left` objects to search.
 */
function containsSecret(value: unknown, hide: Hide, search = { left: MOST_OBJECTS }): boolean {
  const waiting: unknown[] = [value];
  const seen = new Set<unknown>();
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string" && hide(next) !== next) return true;
    if (typeof next !== "object" || next === null || ArrayBuffer.isView(next) || seen.has(next)) continue;
    if (search.left-- <= 0) return true;
    seen.add(next);
    for (const [key, part] of fieldsOf(next)) waiting.push(key, part);
    for (const part of platformData(next)) waiting.push(part);
  }
  return false;
}

/** Returns a function that copies values without secrets. It copies each object once, so that cycles end. */
function copier(hide: Hide): (value: unknown) => unknown {
  const copies = new Map<object, unknown>();
  const search = { left: MOST_OBJECTS };
  const copy = (value: unknown): unknown => {
    if (typeof value === "string") return hide(value);
    if (typeof value !== "object" || value === null) return value;
    if (copies.has(value)) return copies.get(value);
    if (value instanceof Error) return copyError(value);
    const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(value));
    if (!isPlain && !Array.isArray(value)) {
      copies.set(value, containsSecret(value, hide, search) ? "…" : value);
      return copies.get(value);
    }
    const copied: object = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value));
    copies.set(value, copied);
    addFields(copied, value);
    return copied;
  };
  const copyError = (error: Error): Error => {
    // Made by `new Error()`, because consoles and error reporters recognise only such objects. Its prototype
    // is the original's, so `instanceof` still works.
    const copied = Object.setPrototypeOf(new Error(), Object.getPrototypeOf(error));
    delete copied.stack;
    copies.set(error, copied);
    addFields(copied, error);
    return copied;
  };
  const addFields = (copied: object, original: object): void => {
    for (const [key, part] of fieldsOf(original)) {
      if (Array.isArray(original) && key === "length") continue;
      const descriptor = Object.getOwnPropertyDescriptor(original, key);
      const shownKey = typeof key === "string" ? hide(key) : key;
      Object.defineProperty(copied, shownKey, {
        value: copy(part),
        enumerable: descriptor?.enumerable ?? false,
        writable: true,
        configurable: true,
      });
    }
  };
  return copy;
}
