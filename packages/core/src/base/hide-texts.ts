import { fieldsOf, platformData } from "./object-parts.ts";
import { isTextSecret, spellingsOf } from "./without-keys.ts";

/**
 * Returns a function that copies a value and replaces the secrets of `credentials` in it by `…`. Secrets are
 * the words of at least 16 characters in the strings of `credentials`, e.g. a token after `Bearer`. Shorter
 * words could be ordinary ones. If there are no secrets, the function returns every value as it is.
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

/** Returns the secrets in `credentials`, as {@link hideTextsOf} defines them. */
export function secretWordsIn(credentials: unknown): Set<string> {
  // URLs and ids count as secrets too: a URL may have a token in its path, and a session id is a secret.
  // Applications put public values into `caller`.
  const words = textsIn(credentials).flatMap((text) => text.split(/\s+/));
  return new Set(words.filter(isTextSecret));
}

/**
 * Returns a function that copies a value and replaces these secrets by `…` in its strings and field names.
 */
export function hidingTexts(secrets: ReadonlySet<string>): <T>(value: T) => T {
  if (secrets.size === 0) return (value) => value;
  // Longest first, because a secret may contain another one.
  const spellings = [...secrets].flatMap(spellingsOf).sort((one, other) => other.length - one.length);
  const shortest = spellings.at(-1)?.length ?? 0;
  const patterns = patternsOf(spellings);
  // One search of a text finds all secrets of a pattern.
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

/** The most characters of texts in one pattern. JavaScript engines refuse patterns of megabytes. */
const MOST_PATTERN_CHARS = 50_000;

/** Returns patterns that together match these texts. Earlier texts take precedence. */
function patternsOf(texts: readonly string[]): RegExp[] {
  const groups: string[][] = [];
  let charsLeft = 0;
  for (const text of texts) {
    if (charsLeft < text.length) {
      groups.push([]);
      charsLeft = MOST_PATTERN_CHARS;
    }
    groups.at(-1)?.push(text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
    charsLeft -= text.length;
  }
  return groups.map((group) => new RegExp(group.join("|"), "g"));
}

/** How many objects of a value are searched. The fields of an API client may lead to all of the process. */
const MOST_SEARCHED = 20_000;

/**
 * Returns all strings in a value: in its fields, in the values of its getters, and in lists, maps, headers,
 * requests and encoded text. Leaves out the names of fields, which are no secrets.
 */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const waiting: unknown[] = [value];
  const seen = new Set<unknown>();
  for (let index = 0; index < waiting.length && seen.size < MOST_SEARCHED; index += 1) {
    const next = waiting[index];
    if (typeof next === "string") texts.push(next);
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    for (const part of valuesIn(next)) waiting.push(part);
  }
  return texts;
}

/** Returns the values directly inside an object. */
function valuesIn(value: object): unknown[] {
  try {
    if (value instanceof String) return [value.valueOf()];
    if (ArrayBuffer.isView(value)) return [new TextDecoder().decode(value as Uint8Array<ArrayBuffer>)];
    return [...platformData(value), ...fieldsOf(value, true).map(([, part]) => part)];
  } catch {
    return []; // An exotic object, e.g. a revoked proxy.
  }
}
