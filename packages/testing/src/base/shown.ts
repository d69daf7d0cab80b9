/** Returns a value of a request as text: a string as it is, and anything else as JSON. */
// `String()` throws for an object with a `toString` of its own, and any JSON may have one.
export function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
}
