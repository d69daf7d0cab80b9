import { APIConnectionError, APIError } from "@anthropic-ai/sdk/core/error";
import type { ApiFailure, ModelApi } from "@pawl/core/model";

/** Types of temporary failures inside a stream. Such failures have no status. */
const passing: readonly unknown[] = ["overloaded_error", "api_error", "timeout_error", "rate_limit_error"];

/** Error codes of an exhausted budget. The status is 429 or 400, but retrying does not help. */
const spent = /spend_limit_reached$/;

/** Codes for failures that the API describes only in a message. */
const codes: readonly (readonly [words: RegExp, code: string])[] = [
  [/^You have reached your specified API usage limits/, "own_spend_limit_reached"],
  [/^prompt is too long|^input length and `max_tokens` exceed context limit/, "context_length_exceeded"],
];

/** The Messages API, and how the SDK's errors are read. */
export const CLAUDE: ModelApi = {
  maker: "claude()",
  variables: { key: "ANTHROPIC_API_KEY", url: "ANTHROPIC_BASE_URL" },
  publicHost: "api.anthropic.com",
  missingKey: "Could not resolve authentication method",
  read: (error) => (error instanceof APIError ? failureIn(error) : undefined),
};

function failureIn(error: APIError): ApiFailure {
  const { status, headers, type, requestID: requestId, apiMessage: message } = error;
  const errorCode = errorCodeOf(error);
  return {
    message,
    status,
    headers,
    type,
    errorCode,
    requestId,
    isUnreached: error instanceof APIConnectionError,
    isSpent: spent.test(errorCode ?? ""),
    isTemporary: passing.includes(type),
  };
}

// The SDK copies these fields from the server's JSON, whatever they are.
function errorCodeOf(error: APIError): string | undefined {
  const { errorCode, apiMessage }: { errorCode?: unknown; apiMessage?: unknown } = error;
  if (typeof errorCode === "string") return errorCode;
  return typeof apiMessage === "string" ? codes.find(([words]) => words.test(apiMessage))?.[1] : undefined;
}
