import { type ModelFailure, messageOf, PawlError } from "@pawl/core";
import { isPassing, retryAfterMs, type SetUp, setUpHint, withHint, withoutSecrets } from "@pawl/core/model";
import { APIConnectionError, APIError } from "openai/core/error";

/** Types and codes of temporary failures inside a stream. Such failures have no status. */
const passing: readonly unknown[] = [
  "server_error",
  "internal_error",
  "api_error",
  "overloaded_error",
  "service_unavailable",
  "timeout",
  "rate_limit_error",
  "rate_limit_exceeded",
];

/** Codes of an exhausted account. The status is 429, but retrying does not help. */
const spent: readonly unknown[] = ["insufficient_quota", "billing_hard_limit_reached"];

/**
 * Converts an error of the SDK to a `model_error` with the details that retries need, without the request's
 * secrets.
 */
export function modelFailure(
  error: unknown,
  secrets: readonly string[],
  requestId?: string,
  setUp?: OpenAISetUp,
): PawlError {
  const failure = withoutSecrets(failureOf(error, requestId, setUp), secrets);
  const isUnreached = error instanceof APIConnectionError || isInvalidURL(error);
  return withHint(failure, setUp && setUpHint({ ...failure.details, isUnreached }, { ...OPENAI, ...setUp }));
}

/** The model's id and the URL of the API, to name them in errors. */
export type OpenAISetUp = Pick<SetUp, "model" | "baseURL">;

const OPENAI = {
  maker: "openai()",
  variables: { key: "OPENAI_API_KEY", url: "OPENAI_BASE_URL" },
  publicHost: "api.openai.com",
};

function failureOf(error: unknown, requestId: string | undefined, setUp: OpenAISetUp | undefined): PawlError {
  if (setUp !== undefined && messageOf(error).startsWith("Missing credentials"))
    return new PawlError(
      "model_error",
      "OPENAI_API_KEY is not set. Set this environment variable, or pass `apiKey` to openai(). For a server without keys, pass any text.",
      { cause: error, details: { type: "authentication_error", retryable: false } },
    );
  const details = detailsOf(error);
  if (details.requestId === undefined && requestId !== undefined) details.requestId = requestId;
  const own = (error instanceof APIError ? wordsOf(error) : undefined) ?? messageOf(error);
  const options = { cause: PawlError.is(error) ? error.cause : error, details: { ...details } };
  return new PawlError(PawlError.is(error) ? error.code : "model_error", own, options);
}

/** Returns the error for a stream that ended before the answer was complete. */
export function cutOff(requestId: string | undefined): PawlError {
  const details: ModelFailure = { retryable: true, ...(requestId === undefined ? {} : { requestId }) };
  return new PawlError("model_error", "The model's answer was cut off before it was complete.", {
    details: { ...details },
  });
}

function detailsOf(error: unknown): ModelFailure {
  if (PawlError.is(error)) return { ...error.details } as unknown as ModelFailure;
  if (!(error instanceof APIError)) return { retryable: isLostConnection(error) };
  const { status, type, requestID, headers } = error;
  const errorCode = errorCodeOf(error);
  const wait = retryAfterMs(headers);
  return {
    ...(status === undefined ? {} : { status }),
    ...(typeof type === "string" ? { type } : {}),
    ...(errorCode === undefined ? {} : { errorCode }),
    retryable: isRetryable(error),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(typeof requestID === "string" ? { requestId: requestID } : {}),
  };
}

/**
 * Returns `spend_limit_reached`, a code that circuit breakers know, for an exhausted budget, and the API's
 * own code for other errors.
 */
function errorCodeOf(error: APIError): string | undefined {
  if (isSpent(error)) return "spend_limit_reached";
  return typeof error.code === "string" ? error.code : undefined;
}

function isSpent({ code, type }: APIError): boolean {
  return spent.includes(code) || spent.includes(type);
}

function isRetryable(error: APIError): boolean {
  if (error instanceof APIConnectionError) return true;
  if (isSpent(error)) return false;
  const { status, type, headers } = error;
  // Gateways put the status of the server behind them into `code`.
  const code: unknown = error.code;
  if (status !== undefined) return isPassing(status, headers);
  return typeof code === "number" ? isPassing(code) : passing.includes(type) || passing.includes(code);
}

/** Returns the API's own message, without the status that the SDK prepends. */
function wordsOf({ error }: APIError): string | undefined {
  const { message } = (error ?? {}) as { message?: unknown };
  if (typeof message === "string") return message;
  return typeof error === "string" ? error : undefined;
}

/** Returns whether the connection broke while the body was read. `fetch` throws a `TypeError` then. */
function isLostConnection(error: unknown): boolean {
  const isBroken = error instanceof TypeError && !isInvalidURL(error);
  return isBroken || (error instanceof Error && error.name === "AbortError");
}

/** Returns whether no request could be sent, because its URL is not valid. */
function isInvalidURL(error: unknown): boolean {
  return error instanceof TypeError && /invalid url/i.test(error.message);
}
