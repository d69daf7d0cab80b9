/** Returns the type of a value in words, for messages that must not show the value. */
export function got(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (value instanceof Promise) return "a promise, which needs `await`";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
