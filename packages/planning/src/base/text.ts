/** Cuts a text to `limit` UTF-16 code units and replaces line breaks by spaces. */
export function oneLine(text: string, limit: number): string {
  return clipped(text.replace(/\s+/g, " ").trim(), limit);
}

/** Cuts a text to `limit` UTF-16 code units; `…` is in the place of the rest. */
export function clipped(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  // Half a surrogate pair is invalid text, which APIs and databases refuse.
  return `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, "")}…`.toWellFormed();
}

/** Joins the first ten problems of a value, in at most 1,000 characters: it may have any number of them. */
export function joined(problems: readonly string[], separator: string): string {
  // biome-ignore lint/plugin: core's `listedProblems()` is not in its main entry.
  return clipped(problems.slice(0, 10).join(separator), 1_000);
}

/** Returns a list of names for a message: the first 30 of them. */
export function listed(names: Iterable<string>): string {
  const all = [...names];
  const rest = all.length > 30 ? ` and ${all.length - 30} more` : "";
  return all.length === 0 ? "none" : all.slice(0, 30).join(", ") + rest;
}

/** Returns the fields of an object; none for any other value. */
export function fieldsOf(value: unknown): { readonly [field: string]: unknown } {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? { ...value } : {};
}
