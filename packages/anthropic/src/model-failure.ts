import { APIConnectionError, APIError } from "@anthropic-ai/sdk/core/error";
import { type ModelFailure, messageOf, PawlError } from "@pawl/core";
import { isPassing, retryAfterMs, withoutSecrets } from "@pawl/core/model";

/** Types of temporary failures inside a stream. Such failures have no status. */
const passing = ["overloaded_error", "api_error", "timeout_error", "rate_limit_error"];

/** Error codes of an exhausted budget. The status is 429 or 400, but retrying does not help. */
const spent = /spend_limit_reached$/;

/** Codes for failures that the API describes only in a message. */
const codes: readonly (readonly [words: RegExp, code: string])[] = [
  [/^You have reached your specified API usage limits/, "own_spend_limit_reached"],
  [/^prompt is too long|^input length and `max_tokens` exceed context limit/, "context_length_exceeded"],
];

/**
 * Converts an error of the SDK to a `model_error` with the details that retries need, without the request's
 * secrets.
 */
export function modelFailure(error: unknown, secrets: readonly string[], requestId?: string): PawlError {
  return withoutSecrets(PawlError.is(error) ? error : failureOf(error, requestId), secrets);
}

function failureOf(error: unknown, requestId: string | undefined): PawlError {
  const details: ModelFailure =
    error instanceof APIError ? detailsOf(error) : { retryable: isLostConnection(error) };
  if (details.requestId === undefined && requestId !== undefined) details.requestId = requestId;
  const message = error instanceof APIError ? (error.apiMessage ?? error.message) : messageOf(error);
  return new PawlError("model_error", message, { cause: error, details: { ...details } });
}

/** Returns the error for a stream that ended before the answer was complete. */
export function cutOff(requestId: string | undefined): PawlError {
  const details: ModelFailure = { retryable: true, ...(requestId === undefined ? {} : { requestId }) };
  return new PawlError("model_error", "The model's answer was cut off before it was complete.", {
    details: { ...details },
  });
}

function detailsOf(error: APIError): ModelFailure {
  const { status, type, requestID, headers } = error;
  const errorCode = errorCodeOf(error);
  const wait = retryAfterMs(headers);
  return {
    ...(status === undefined ? {} : { status }),
    ...(type === null ? {} : { type }),
    ...(errorCode === undefined ? {} : { errorCode }),
    retryable: isRetryable(error),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(typeof requestID === "string" ? { requestId: requestID } : {}),
  };
}

function errorCodeOf({ errorCode, apiMessage }: APIError): string | undefined {
  return errorCode ?? codes.find(([words]) => words.test(apiMessage ?? ""))?.[1];
}

function isRetryable(error: APIError): boolean {
  if (error instanceof APIConnectionError) return true;
  const { status, type, headers } = error;
  if (spent.test(errorCodeOf(error) ?? "")) return false;
  return status === undefined ? passing.includes(type ?? "") : isPassing(status, headers);
}

/** Whether the connection broke while the body was read. `fetch` throws a `TypeError` then. */
function isLostConnection(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === "AbortError");
}
