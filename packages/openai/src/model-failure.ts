import { type ApiFailure, isPassing, type ModelApi } from "@pawl/core/model";
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

/** Chat Completions, and how the SDK's errors are read. */
export const OPENAI: ModelApi = {
  maker: "openai()",
  variables: { key: "OPENAI_API_KEY", url: "OPENAI_BASE_URL" },
  publicHost: "api.openai.com",
  missingKey: "Missing credentials",
  missingKeyHint: "For a server without keys, pass any text.",
  read: (error) => (error instanceof APIError ? failureIn(error) : undefined),
};

function failureIn(error: APIError): ApiFailure {
  const { status, headers, type, requestID: requestId } = error;
  // Gateways put the status of the server behind them into `code`.
  const code: unknown = error.code;
  const isSpent = spent.includes(code) || spent.includes(type);
  return {
    message: messageIn(error),
    status,
    headers,
    type,
    // Circuit breakers know this code.
    errorCode: isSpent ? "spend_limit_reached" : code,
    requestId,
    isUnreached: error instanceof APIConnectionError,
    isSpent,
    isTemporary:
      typeof code === "number" ? isPassing(code) : passing.includes(type) || passing.includes(code),
  };
}

/** Returns the API's own message, without the status that the SDK prepends. */
function messageIn({ error }: APIError): unknown {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === "string" ? message : error;
}
