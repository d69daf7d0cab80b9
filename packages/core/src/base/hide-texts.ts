import { fieldsOf, platformData } from "./object-parts.ts";
import { isTextSecret, spellingsOf } from "./without-keys.ts";

/**
 * Returns a function that replaces every secret of a value by `…` in other values: in strings, and in the
 * strings of objects and lists. Secrets are the words of at least 16 characters in the value's strings, e.g.
 * a token after `Bearer`. Shorter words could be ordinary ones. A value without such strings is returned as
 * it is.
 *
 * @example
 * ```ts
 * import { hideTextsOf } from "@pawl/core/tools";
 *
 * const hide = hideTextsOf({ token: "tok_0123456789abcdef" });
 * console.log(hide({ you: "sent Bearer tok_0123456789abcdef" })); // { you: 'sent Bearer …' }
 * ```
 */
export function hideTextsOf(credentials: unknown): <T>(value: T) => T {
  return hidingTexts(secretWordsIn(credentials));
}

/** Returns the secrets that {@link hideTextsOf} replaces, each once. */
export function secretWordsIn(credentials: unknown): Set<string> {
  // URLs and ids are no exception: a URL may have a token in its path, and a session id is a secret. Public
  // values belong in `caller`.
  const words = textsIn(credentials).flatMap((text) => text.split(/\s+/));
  return new Set(words.filter(isTextSecret));
}

/** Returns a function that replaces these secrets. Each text is searched once for all of them. */
export function hidingTexts(secrets: ReadonlySet<string>): <T>(value: T) => T {
  if (secrets.size === 0) return (value) => value;
  // Longest first, because a secret may contain another one.
  const spellings = [...secrets].flatMap(spellingsOf).sort((one, other) => other.length - one.length);
  const shortest = spellings.at(-1)?.length ?? 0;
  const patterns = patternsOf(spellings);
  const hideIn = (text: string): string =>
    text.length < shortest ? text : patterns.reduce((shown, pattern) => shown.replace(pattern, "…"), text);
  const hide = (value: unknown): unknown => {
    if (typeof value === "string") return hideIn(value);
    if (Array.isArray(value)) return value.map(hide);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [hideIn(key), hide(part)]));
  };
  return <T>(value: T): T => hide(value) as T;
}

/** The longest pattern, in characters. Engines refuse patterns of megabytes. */
const MOST_PATTERN_CHARS = 50_000;

/** Returns patterns that match any of these texts, in their order. */
function patternsOf(texts: readonly string[]): RegExp[] {
  const groups: string[][] = [];
  let left = 0;
  for (const text of texts) {
    if (left < text.length) {
      groups.push([]);
      left = MOST_PATTERN_CHARS;
    }
    groups.at(-1)?.push(text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
    left -= text.length;
  }
  return groups.map((group) => new RegExp(group.join("|"), "g"));
}

/** How many objects of a value are searched. A client of an API may have the whole process in its fields. */
const MOST_SEARCHED = 20_000;

/**
 * Returns all strings in a value: in its fields, also private ones that a getter returns, and in lists, maps,
 * headers, requests and bytes of text. The names of fields are no secrets.
 */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const waiting: unknown[] = [value];
  const seen = new Set<unknown>();
  for (let at = 0; at < waiting.length && seen.size < MOST_SEARCHED; at += 1) {
    const next = waiting[at];
    if (typeof next === "string") texts.push(next);
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    for (const part of valuesIn(next)) waiting.push(part);
  }
  return texts;
}

function valuesIn(value: object): unknown[] {
  try {
    if (value instanceof String) return [value.valueOf()];
    if (ArrayBuffer.isView(value)) return [new TextDecoder().decode(value as Uint8Array<ArrayBuffer>)];
    return [...platformData(value), ...fieldsOf(value, true).map(([, part]) => part)];
  } catch {
    return []; // An exotic object, e.g. a revoked proxy.
  }
}
