import { PawlError, type PawlErrorCode } from "@pawl/core";
import { HTTPException } from "hono/http-exception";

/**
 * The code of an error, in the body's `error.code`. The response's status is in brackets.
 * [Causes and remedies](https://github.com/pawl-js/pawl/blob/main/docs/errors/README.md#wire-codes) of each.
 *
 * - `invalid_input` (400, 408, 412, 415): the request is malformed, its body stops arriving, its `if-match`
 *   does not hold, its content type is not JSON, or its body is compressed
 * - `unauthorized` (401): `authorize` returned `null`. `www-authenticate` is `Bearer`
 * - `not_found` (404): no such route, or no such session of this user
 * - `method_not_allowed` (405): the header `allow` lists the allowed methods
 * - `session_busy` (409): a run is in progress
 * - `already_answered` (409): the question is no longer open
 * - `unknown_call` (422): the session has no such question
 * - `invalid_answer` (422): the answer does not fit the question's schema
 * - `too_large` (413): the body exceeds a limit
 * - `rate_limited` (429): the user has started, uploaded or read too much in a short time; the header
 *   `retry-after` has the seconds to wait
 * - `too_many_streams` (429): the user has too many streams open
 * - `draining` (503): this process is shutting down
 * - `overloaded` (503): this process is already handling as many files or session reads as `workLimits`
 *   allows; the header `retry-after` has the seconds to wait
 * - `store_unavailable` (503): the store or another required service cannot be reached, or the function
 *   that returns an agent's tools failed
 * - `internal` (500): any other error
 */
export type WireErrorCode =
  | "invalid_input"
  | "unauthorized"
  | "not_found"
  | "method_not_allowed"
  | "session_busy"
  | "already_answered"
  | "unknown_call"
  | "invalid_answer"
  | "too_large"
  | "rate_limited"
  | "too_many_streams"
  | "draining"
  | "overloaded"
  | "store_unavailable"
  | "internal";

/** The body of every error response. */
export interface WireError {
  /** What went wrong: a code for programs, and a message for developers. */
  error: { code: WireErrorCode; message: string };
}

type Status = 400 | 401 | 404 | 405 | 408 | 409 | 412 | 413 | 415 | 422 | 429 | 500 | 503;

/** The codes whose messages are sent to the client. Any other error becomes `internal`. */
const STATUS: { readonly [C in PawlErrorCode & WireErrorCode]: Status } = {
  invalid_input: 400,
  not_found: 404,
  draining: 503,
  overloaded: 503,
  session_busy: 409,
  already_answered: 409,
  unknown_call: 422,
  invalid_answer: 422,
  store_unavailable: 503,
};

/** Returns an error as a JSON response that must not be cached. */
export function errorResponse(
  status: Status,
  code: WireErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body: WireError = { error: { code, message } };
  return Response.json(body, { status, headers: { "cache-control": "no-store", ...headers } });
}

/** Returns an exception for a request that cannot be accepted. */
export function refusal(
  status: Status,
  code: WireErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HTTPException {
  return new HTTPException(status, { res: errorResponse(status, code, message, headers) });
}

/**
 * Converts any thrown value to an error response without internal details. Use it in your own routes;
 * {@link handler} does this itself.
 *
 * @example
 * ```ts
 * import { PawlError } from "@pawl/core";
 * import { responseTo } from "@pawl/sse";
 *
 * console.log(responseTo(new PawlError("store_unavailable", "The pool is empty.")).status); // 503
 * console.log(responseTo(new Error("secret")).status); // 500
 * ```
 */
export function responseTo(error: unknown): Response {
  if (error instanceof HTTPException) return error.getResponse();
  if (PawlError.is(error, "tools_failed")) return unreachable();
  if (PawlError.is(error) && isTold(error.code)) {
    if (error.code === "store_unavailable") return unreachable();
    return errorResponse(STATUS[error.code], error.code, error.message, waitOf(error));
  }
  return errorResponse(500, "internal", "Something went wrong on our side. Please try again.");
}

/** Returns the header that says when a request may be sent again. */
function waitOf({ code, details }: PawlError): Record<string, string> {
  if (code !== "overloaded") return {};
  return { "retry-after": String(Math.max(1, Math.ceil(Number(details.retryAfterMs) / 1_000) || 1)) };
}

function unreachable(): Response {
  const message = "The service cannot be reached right now. Please try again.";
  return errorResponse(503, "store_unavailable", message, { "retry-after": "1" });
}

function isTold(code: PawlErrorCode): code is keyof typeof STATUS {
  return Object.hasOwn(STATUS, code);
}
