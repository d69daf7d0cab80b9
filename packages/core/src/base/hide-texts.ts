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
  // URLs and ids are no exception: a URL may have a token in its path, and a session id is a secret. Public
  // values belong in `caller`.
  const words = textsIn(credentials).flatMap((text) => text.split(/\s+/));
  const secrets = words.filter(isTextSecret).flatMap(spellingsOf);
  if (secrets.length === 0) return (value) => value;
  // Longest first, because a secret may contain another one.
  secrets.sort((one, other) => other.length - one.length);
  const hideIn = (text: string): string =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, "…"), text);
  const hide = (value: unknown): unknown => {
    if (typeof value === "string") return hideIn(value);
    if (Array.isArray(value)) return value.map(hide);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [hideIn(key), hide(part)]));
  };
  return <T>(value: T): T => hide(value) as T;
}

/** Returns all strings in a value: of objects, lists, maps and headers too. */
function textsIn(value: unknown, seen: Set<unknown> = new Set()): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || seen.has(value)) return [];
  seen.add(value);
  const parts = Symbol.iterator in value ? [...(value as Iterable<unknown>)] : Object.values(value);
  return parts.flatMap((part) => textsIn(part, seen));
}
