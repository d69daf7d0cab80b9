import { APIConnectionError, APIError } from "@anthropic-ai/sdk/core/error";
import { type ModelFailure, messageOf, PawlError } from "@pawl/core";

/** Failures inside a stream carry no status; these types are the server's own trouble. */
const passing = ["overloaded_error", "api_error", "timeout_error", "rate_limit_error"];

/** A spent budget answers 429 or 400; asking again does not refill it. Your own limit is told in words only. */
const spent = /spend_limit_reached$/;
const ownLimit = {
  message: "You have reached your specified API usage limits",
  code: "own_spend_limit_reached",
};

/** Anything the SDK threw, as the `model_error` the loop's retry policy reads. */
export function modelFailure(error: unknown, requestId?: string): PawlError {
  if (PawlError.is(error)) return error;
  const details: ModelFailure =
    error instanceof APIError ? detailsOf(error) : { retryable: isLostConnection(error) };
  if (details.requestId === undefined && requestId !== undefined) details.requestId = requestId;
  const message = error instanceof APIError ? (error.apiMessage ?? error.message) : messageOf(error);
  return new PawlError("model_error", withoutKeys(message), { cause: error, details: { ...details } });
}

/** The stream ended although the answer had not. */
export function cutOff(requestId: string | undefined): PawlError {
  const details: ModelFailure = { retryable: true, ...(requestId === undefined ? {} : { requestId }) };
  return new PawlError("model_error", "The model's answer was cut off before it was complete.", {
    details: { ...details },
  });
}

function detailsOf(error: APIError): ModelFailure {
  const { status, type, requestID, headers } = error;
  const errorCode = errorCodeOf(error);
  const retryAfterMs = retryAfterOf(headers);
  return {
    ...(status === undefined ? {} : { status }),
    ...(type === null ? {} : { type }),
    ...(errorCode === undefined ? {} : { errorCode }),
    retryable: isRetryable(error),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(typeof requestID === "string" ? { requestId: requestID } : {}),
  };
}

function errorCodeOf({ errorCode, apiMessage }: APIError): string | undefined {
  return errorCode ?? (apiMessage?.startsWith(ownLimit.message) === true ? ownLimit.code : undefined);
}

function isRetryable(error: APIError): boolean {
  if (error instanceof APIConnectionError) return true;
  const { status, type, headers } = error;
  if (spent.test(errorCodeOf(error) ?? "")) return false;
  const asked = headers?.get("x-should-retry");
  if (asked === "true" || asked === "false") return asked === "true";
  if (status === undefined) return passing.includes(type ?? "");
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** How long the server asks to wait, in milliseconds. */
function retryAfterOf(headers: Headers | undefined): number | undefined {
  const exact = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (exact >= 0) return exact;
  const given = headers?.get("retry-after");
  if (given === null || given === undefined) return undefined;
  const seconds = Number(given);
  const ms = Number.isNaN(seconds) ? Date.parse(given) - Date.now() : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** The connection broke while the body was read: fetch says so with a `TypeError`. */
function isLostConnection(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === "AbortError");
}

/** A key never leaves in a message, even where a proxy echoes it, or where it is no header and is quoted for that. */
function withoutKeys(message: string): string {
  return message
    .replace(/"[^"]*" is an invalid header value/g, '"…" is an invalid header value')
    .replace(/\bBearer\s+[^\s"',]{20,}/gi, "Bearer …")
    .replace(/sk-ant-[\w-]+/g, "sk-ant-…");
}
