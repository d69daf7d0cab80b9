/** The shortest secret that is replaced, in characters. Shorter ones would match ordinary words. */
const SHORTEST_SECRET = 8;

/**
 * Removes secrets from a text: the given ones, and anything that looks like a key, e.g. a header that a proxy
 * repeats in its error message.
 *
 * @param secrets the request's secrets, e.g. its key; those shorter than 8 characters are ignored
 *
 * @example
 * ```ts
 * import { withoutKeys } from "@pawl/core/model";
 *
 * console.log(withoutKeys("invalid x-api-key: sk-ant-api03-abcdef")); // invalid x-api-key: …
 * console.log(withoutKeys("no such key: gateway+secret", ["gateway+secret"])); // no such key: …
 * ```
 */
export function withoutKeys(message: string, secrets: readonly string[] = []): string {
  const known = secrets.filter(({ length }) => length >= SHORTEST_SECRET).flatMap(spellingsOf);
  // Longest first, because a secret may contain another one.
  known.sort((a, b) => b.length - a.length);
  let text = message;
  for (const secret of known) text = text.replaceAll(secret, "…");
  for (const [pattern, replacement] of PATTERNS) text = text.replace(pattern, replacement);
  return text;
}

/**
 * Patterns of texts that may contain a key, with their replacements. In order: an error of `fetch`, headers,
 * authorization schemes, keys of Anthropic and OpenAI, credentials in URLs, and query parameters.
 */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/"[^"]*" is an invalid header value/g, '"…" is an invalid header value'],
  [
    /\b((?:x-)?api-key|(?:proxy-)?authorization|cookie)(\\?["']?\s*[:=]\s*\\?["']?)[^\s"'\\,;}]{4,}(?:\s+[^\s"'\\,;}]{8,})?/gi,
    "$1$2…",
  ],
  [/\b(Bearer|Basic)\s+[^\s"'\\,]{20,}/gi, "$1 …"],
  [/\bsk-(?!ant-…)(ant-)?[\w*-]{4,}/g, "sk-$1…"],
  [/(:\/\/)[^\s/@"']+@/g, "$1…@"],
  [/([?&](?:api[-_]?key|key|token|access_token)=)[^\s&"']+/gi, "$1…"],
];

/** Returns whether a text counts as a secret: at least 16 characters without spaces. */
export function isTextSecret(text: string): boolean {
  return text.length >= 16 && !/\s/.test(text);
}

/**
 * Returns the forms in which a text may contain a secret: unchanged, escaped for JSON, and escaped for a URL.
 * Equal forms are returned once.
 */
export function spellingsOf(secret: string): string[] {
  const spellings = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
  return [...new Set(spellings)];
}
