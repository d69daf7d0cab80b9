import { APIConnectionError, APIError } from "@anthropic-ai/sdk/core/error";
import type { ApiFailure, ModelApi } from "@pawl/core/model";

/** Types of temporary failures inside a stream. Such failures have no status. */
const passing: readonly unknown[] = ["overloaded_error", "api_error", "timeout_error", "rate_limit_error"];

/** Error codes of an exhausted budget. The status is 429 or 400, but retrying does not help. */
const spent = /spend_limit_reached$/;

/** Types of failures inside a stream that the same request would meet again. */
const lasting = /invalid|authentic|permission|not_found|billing|too_large|forbidden|unauthorized/i;

const OVERFLOW = "context_length_exceeded";
const FILTER = "content_filter";

/**
 * Codes for failures that servers describe only in a message. The corpus of `@pawl/testing/dialects` names
 * the source of each.
 */
const codes: readonly (readonly [words: RegExp, code: string])[] = [
  [/^You have reached your specified API usage limits/, "own_spend_limit_reached"],
  [/prompt is too long|input length and `max_tokens` exceed context limit/i, OVERFLOW],
  [/request_too_large|Request exceeds the maximum size/i, OVERFLOW],
  // Bedrock
  [/Input is too long for requested model/i, OVERFLOW],
  // Servers of other models behind the Messages API: vLLM, llama.cpp, Ollama, LiteLLM, SGLang, Kronk
  [/maximum context length|exceeds the available context size|ContextWindowExceededError/i, OVERFLOW],
  [/exceeds the maximum allowed (input )?length|context window is full/i, OVERFLOW],
  [/exceed(s|ed)? (the |max )?context length|context_length_exceeded|exceed_context_size_error/i, OVERFLOW],
  [/Output blocked by content filtering policy/i, FILTER],
  [/content_filter|content management policy|ContentPolicyViolationError|content_policy_violation/i, FILTER],
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
  const { status, headers, type, requestID: requestId } = error;
  const message = messageIn(error);
  const isUnreached = error instanceof APIConnectionError;
  const errorCode = isUnreached || status === 429 ? codeIn(error) : errorCodeOf(error, message);
  return {
    message,
    status,
    headers,
    type,
    errorCode,
    requestId,
    isUnreached,
    // Some servers answer with status 500 if a prompt is too long. It stays too long.
    isSpent: spent.test(errorCode ?? "") || errorCode === OVERFLOW || errorCode === FILTER,
    isTemporary: passing.includes(type) || !lasting.test(typeof type === "string" ? type : ""),
  };
}

/** Returns the message of an error. Bedrock and gateways send it outside of `error`. */
function messageIn({ apiMessage, error }: APIError): unknown {
  if (typeof apiMessage === "string") return apiMessage;
  const { message, detail, error: inner } = Object(Array.isArray(error) ? error[0] : error);
  return [message, detail, inner].find((one) => typeof one === "string");
}

// The SDK copies these fields from the server's JSON, whatever they are.
function codeIn(error: APIError): string | undefined {
  const { errorCode }: { errorCode?: unknown } = error;
  return typeof errorCode === "string" ? errorCode : undefined;
}

function errorCodeOf(error: APIError, message: unknown): string | undefined {
  const { code } = Object(Object(error.error).error);
  const said = [message, error.type, code].filter((one) => typeof one === "string");
  return codeIn(error) ?? codes.find(([words]) => said.some((one) => words.test(one)))?.[1];
}
