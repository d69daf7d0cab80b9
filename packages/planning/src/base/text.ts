import { cutText } from "@pawl/core/tools";

/** Cuts a text to `limit` UTF-16 code units and replaces line breaks by spaces. */
export function oneLine(text: string, limit: number): string {
  return cutText(text.replace(/\s+/g, " ").trim(), limit);
}

/** Joins sentences about the first ten problems of a value, in at most 1,000 characters. */
export function joined(problems: readonly string[]): string {
  // biome-ignore lint/plugin: these are sentences, and `listedProblems()` puts semicolons between them.
  return cutText(problems.slice(0, 10).join(" "), 1_000);
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
