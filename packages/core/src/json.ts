/** Anything that JSON can carry. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json;
}

/**
 * `value` as JSON would carry it: what JSON drops is dropped (`undefined`, functions), dates become strings. Lone
 * surrogates become U+FFFD, because neither a model nor a database takes them.
 *
 * @throws TypeError for a cycle or a bigint.
 */
export function toJson(value: unknown): Json {
  const text = JSON.stringify(value);
  if (text === undefined) return null;
  return JSON.parse(LONE_SURROGATE.test(text) ? JSON.stringify(value, wellFormed) : text) as Json;
}

/** JSON writes a lone surrogate as an escape, and nothing else in this way (but for text that talks of such escapes). */
const LONE_SURROGATE = /\\ud[89a-f]/;

function wellFormed(_key: string, part: unknown): unknown {
  return typeof part === "string" ? part.toWellFormed() : part;
}

/** JSON text with object keys in alphabetical order, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  );
}
