import type { Json } from "../base/json.ts";

/** Returns at most 120 characters of a text, or of the JSON of another value. */
export function shortText(value: Json): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

export function quotedText(text: string): string {
  return `“${shortText(text.replace(/\s+/g, " ").trim())}”`;
}

/** Joins the parts that are not empty, with a dot between them. */
export function joined(...parts: (string | null | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== null && part !== "").join(" · ");
}

/** Returns a number with its noun, e.g. `1 file` or `2 files`. */
export function quantity(n: number, noun: string): string {
  return `${n} ${n === 1 ? noun : `${noun}s`}`;
}

export function countOf(n: number): string {
  return n.toLocaleString("en");
}
