import { messageOf, PawlError } from "@pawl/core";

/** What runtimes say of a header that is none: undici, browsers, node-fetch. */
const NO_HEADER =
  /invalid header value|invalid character in header|not a legal http header|headers'?: .*(invalid value|non iso-8859-1)|to a bytestring/i;

/**
 * The message of an error of supabase-js, which may be a plain object; without keys and tokens, and not
 * endless.
 */
export function safeText(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return withoutSecrets(typeof message === "string" ? message : messageOf(error)).slice(0, 500);
}

/**
 * Refuses at once what would fail forever: a key or a token that no header can carry, e.g. one with a line
 * break or "…".
 *
 * @throws PawlError `config`, without what was said: it may be the key
 */
export function checkHeaders(error: unknown): void {
  const { message } = (error ?? {}) as { message?: unknown };
  if (typeof message === "string" && NO_HEADER.test(message))
    throw new PawlError(
      "config",
      "The client's key or token cannot be sent: it is no value of an HTTP header.",
    );
}

/**
 * Without keys and tokens of Supabase, and what stands behind `Bearer`: a failing `fetch` may quote its
 * headers. What is quoted goes to the end of the quote, because a key with a line break in it goes on behind
 * that.
 */
function withoutSecrets(text: string): string {
  return text
    .replaceAll(/"(?:Bearer\s|sb_|ey)[^"]*"?/gi, '"…"')
    .replaceAll(/\bBearer\s+[^\s"',]+/gi, "Bearer …")
    .replaceAll(/\bsb_(secret|publishable)_[\w-]+/g, "sb_$1_…")
    .replaceAll(/\bey[\w-]+\.[\w-]+(\.[\w-]*)?/g, "…");
}
