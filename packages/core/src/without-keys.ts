/** Shorter ones would be found in ordinary words. */
const SHORTEST_SECRET = 8;

/**
 * A text without secrets: the ones that are given, and everything that looks like a key, e.g. one that a proxy echoes.
 *
 * @param secrets what the request was sent with, e.g. its key; those of less than 8 characters are passed over
 *
 * @example
 * ```ts
 * import { withoutKeys } from "@pawl/core";
 *
 * console.log(withoutKeys("invalid x-api-key: sk-ant-api03-abcdef")); // invalid x-api-key: …
 * console.log(withoutKeys("no such key: gateway+secret", ["gateway+secret"])); // no such key: …
 * ```
 */
export function withoutKeys(message: string, secrets: readonly string[] = []): string {
  const known = secrets.filter(({ length }) => length >= SHORTEST_SECRET).flatMap(spellingsOf);
  // The longest first: one may be a part of another.
  known.sort((a, b) => b.length - a.length);
  let text = message;
  for (const secret of known) text = text.replaceAll(secret, "…");
  for (const [pattern, word] of PATTERNS) text = text.replace(pattern, word);
  return text;
}

const PATTERNS: readonly (readonly [pattern: RegExp, word: string])[] = [
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

/** A secret as it is, as it stands in JSON, and as it stands in an address. */
function spellingsOf(secret: string): string[] {
  const spellings = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
  return [...new Set(spellings)];
}
