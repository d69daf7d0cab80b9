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
  const text = JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "string" ? part.toWellFormed() : part,
  );
  return text === undefined ? null : (JSON.parse(text) as Json);
}

/** JSON text with object keys in alphabetical order, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  );
}
