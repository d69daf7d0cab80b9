import { messageOf, PawlError } from "../../base/errors.ts";
import { withoutKeys } from "../../base/without-keys.ts";

/** The longest failure text that is kept, in characters. A server may send a text of any length. */
const LONGEST_FAILURE_TEXT = 2_000;

/** The longest text that is kept in an error's details, e.g. its type, in characters. */
const LONGEST_DETAIL = 200;

/**
 * Returns the secrets among a request's headers: all values except those of headers known to be public. Each
 * word of a value is listed too, e.g. the token of `Bearer <token>`.
 *
 * @param headers an object, a list of pairs, a `Headers`, or an object that contains one of these
 *
 * @example
 * ```ts
 * import { secretsIn } from "@pawl/core/model";
 *
 * console.log(secretsIn({ "x-api-key": "k-1", "user-agent": "app/1" })); // [ 'k-1', 'k-1' ]
 * ```
 */
export function secretsIn(headers: unknown): string[] {
  if (typeof headers !== "object" || headers === null) return [];
  const pairs = Symbol.iterator in headers ? [...(headers as Iterable<unknown>)] : Object.entries(headers);
  return pairs.flatMap((pair) => {
    const [name, value] = Array.isArray(pair) ? pair : [];
    const texts = [value].flat().filter((one) => typeof one === "string");
    // The value of a header is a text, or a list of texts. Any other value may be an object with headers.
    if (texts.length === 0) return secretsIn(value);
    return PUBLIC_HEADER.test(String(name)) ? [] : texts.flatMap((one) => [one, ...one.split(/[\s;,]+/)]);
  });
}

/**
 * Returns the secrets of an SDK's client, including those that the SDK read from the environment: its keys,
 * and those among its default headers, see {@link secretsIn}.
 *
 * @param keys the names of the client's fields that hold keys
 *
 * @example
 * ```ts
 * import { clientSecrets } from "@pawl/core/model";
 *
 * const client = { apiKey: "key-1", _options: { defaultHeaders: { "x-gateway-key": "key-2" } } };
 * console.log(clientSecrets(client, ["apiKey", "authToken"])); // [ 'key-1', 'key-2', 'key-2' ]
 * ```
 */
export function clientSecrets(client: object, keys: readonly string[]): string[] {
  const values = keys.map((key) => Reflect.get(client, key)).filter((value) => typeof value === "string");
  return [...values, ...secretsIn(Reflect.get(client, "_options")?.defaultHeaders)];
}

/** The names of headers whose values are not secret. */
const PUBLIC_HEADER =
  /^(accept|content-type|user-agent|x-stainless-.*|anthropic-(version|beta)|openai-(organization|project|beta)|http-referer|x-title)$/i;

/** A request id in the usual format, e.g. `req_011CSHoEeqs5C35K2UUqR7Fy`. */
const REQUEST_ID = /^req_[A-Za-z0-9]{1,40}$/;

/**
 * Returns a server's request id in a form that may be logged: unchanged if it has the usual format (`req_…`),
 * otherwise with secrets removed. `secrets` is called only if the format is unusual.
 *
 * @example
 * ```ts
 * import { safeRequestId } from "@pawl/core/model";
 *
 * console.log(safeRequestId("req_011CSHoEeqs5C35K2UUqR7Fy", () => [])); // unchanged
 * console.log(safeRequestId("from secret-1", () => ["secret-1"])); // from …
 * ```
 */
export function safeRequestId(
  requestId: string | null,
  secrets: () => readonly string[],
): string | undefined {
  if (!requestId) return undefined;
  return REQUEST_ID.test(requestId) ? requestId : withoutKeys(requestId, secrets()).slice(0, LONGEST_DETAIL);
}

/**
 * Removes secrets from an error's message, details and causes, see {@link withoutKeys}. Replaces each cause
 * by a new error with the same name, message, code and stack, because an SDK's own error may contain headers
 * and bodies.
 *
 * @example
 * ```ts
 * import { PawlError } from "@pawl/core";
 * import { withoutSecrets } from "@pawl/core/model";
 *
 * const cause = new Error("no such key: gateway+secret");
 * const failure = withoutSecrets(new PawlError("model_error", "Refused.", { cause }), ["gateway+secret"]);
 * console.log((failure.cause as Error).message); // no such key: …
 * ```
 */
export function withoutSecrets(failure: PawlError, secrets: readonly string[]): PawlError {
  const clean = (text: string) => withoutKeys(text, secrets).slice(0, LONGEST_FAILURE_TEXT);
  const details = Object.entries(failure.details).map(([name, value]) => [
    name,
    typeof value === "string" ? clean(value).slice(0, LONGEST_DETAIL) : value,
  ]);
  return new PawlError(failure.code, clean(failure.message), {
    ...(failure.cause !== undefined && { cause: cleanCause(failure.cause, clean) }),
    details: Object.fromEntries(details),
  });
}

/** The most causes that are kept. A chain of causes may be circular. */
const MOST_KEPT_CAUSES = 5;

/** Returns a copy of a cause and of its own causes. `clean` removes the secrets from each text. */
function cleanCause(cause: unknown, clean: (text: string) => string, causesLeft = MOST_KEPT_CAUSES): Error {
  const copy = new Error(clean(messageOf(cause)));
  if (!(cause instanceof Error)) return copy;
  const { name, stack, code } = cause as Error & { code?: unknown };
  copy.name = clean(String(name));
  copy.stack = clean(String(stack));
  if (typeof code === "string") Object.assign(copy, { code: clean(code) });
  if (cause.cause !== undefined && causesLeft > 0)
    copy.cause = cleanCause(cause.cause, clean, causesLeft - 1);
  return copy;
}
