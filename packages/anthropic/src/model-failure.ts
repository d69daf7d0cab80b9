import { APIConnectionError, APIError } from "@anthropic-ai/sdk/core/error";
import { type ModelFailure, messageOf, PawlError } from "@pawl/core";
import { isPassing, retryAfterMs, type SetUp, setUpHint, withHint, withoutSecrets } from "@pawl/core/model";

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
export function modelFailure(
  error: unknown,
  secrets: readonly string[],
  requestId?: string,
  setUp?: ClaudeSetUp,
): PawlError {
  const failure = withoutSecrets(failureOf(error, requestId, setUp), secrets);
  const isUnreached = error instanceof APIConnectionError || isInvalidURL(error);
  return withHint(failure, setUp && setUpHint({ ...failure.details, isUnreached }, { ...CLAUDE, ...setUp }));
}

/** The model's id and the URL of the API, to name them in errors. */
export type ClaudeSetUp = Pick<SetUp, "model" | "baseURL">;

const CLAUDE = {
  maker: "claude()",
  variables: { key: "ANTHROPIC_API_KEY", url: "ANTHROPIC_BASE_URL" },
  publicHost: "api.anthropic.com",
};

function failureOf(error: unknown, requestId: string | undefined, setUp: ClaudeSetUp | undefined): PawlError {
  if (setUp !== undefined && messageOf(error).startsWith("Could not resolve authentication method"))
    return new PawlError(
      "model_error",
      "ANTHROPIC_API_KEY is not set. Set this environment variable, or pass `apiKey` to claude().",
      { cause: error, details: { type: "authentication_error", retryable: false } },
    );
  const details = detailsOf(error);
  if (details.requestId === undefined && requestId !== undefined) details.requestId = requestId;
  const own = (error instanceof APIError ? textOf(error.apiMessage) : undefined) ?? messageOf(error);
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
  const { status, headers } = error;
  const type = textOf(error.type);
  const requestId = textOf(error.requestID);
  const errorCode = errorCodeOf(error);
  const wait = retryAfterMs(headers);
  return {
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(errorCode === undefined ? {} : { errorCode }),
    retryable: isRetryable(error),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

// The SDK copies these fields from the server's JSON, whatever they are.
/** Returns a field of the SDK's error if it is a text. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function errorCodeOf({ errorCode, apiMessage }: APIError): string | undefined {
  const message = textOf(apiMessage) ?? "";
  return textOf(errorCode) ?? codes.find(([words]) => words.test(message))?.[1];
}

function isRetryable(error: APIError): boolean {
  if (error instanceof APIConnectionError) return true;
  const { status, type, headers } = error;
  if (spent.test(errorCodeOf(error) ?? "")) return false;
  return status === undefined ? passing.includes(type ?? "") : isPassing(status, headers);
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
