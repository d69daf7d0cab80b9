import { messageOf, PawlError } from "@pawl/core";

/** Messages with which undici, browsers and node-fetch refuse an invalid header. */
const NO_HEADER =
  /invalid header value|invalid character in header|not a legal http header|headers'?: .*(invalid value|non iso-8859-1)|to a bytestring/i;

/** How much of a message is searched for secrets, in characters: a long one would take seconds. */
const MOST_CHARS = 10_000;

/**
 * Returns the message of an error of supabase-js, which may be a plain object. Removes keys and tokens, and
 * cuts the message to 500 characters.
 */
export function safeText(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown };
  const text = typeof message === "string" ? message : messageOf(error);
  // Of a token that the first cut divides, at most its header could be left, which is no secret.
  return withoutSecrets(text.slice(0, MOST_CHARS)).slice(0, 500);
}

/**
 * Throws if an error was caused by a key or token that is not a valid header value, e.g. one with a line
 * break. A retry would never succeed.
 *
 * @throws PawlError `config`, without the original message, which may quote the key.
 */
export function checkHeaders(error: unknown): void {
  const { message } = (error ?? {}) as { message?: unknown };
  if (typeof message === "string" && NO_HEADER.test(message.slice(0, MOST_CHARS)))
    throw new PawlError(
      "config",
      'The client\'s key or token is not a valid value of an HTTP header. Check it for line breaks, spaces and characters such as "…".',
    );
}

/**
 * Removes keys and tokens of Supabase, and any text after `Bearer`, because a failing `fetch` may quote its
 * headers. Quoted values are removed up to the closing quote: a key may contain a line break.
 */
function withoutSecrets(text: string): string {
  return text
    .replaceAll(/"(?:Bearer\s|sb_|ey)[^"]*"?/gi, '"…"')
    .replaceAll(/\bBearer\s+[^\s"',]+/gi, "Bearer …")
    .replaceAll(/\bsb_(secret|publishable)_[\w-]+/g, "sb_$1_…")
    .replaceAll(/\bey[\w-]+\.[\w-]+(\.[\w-]*)?/g, "…");
}
