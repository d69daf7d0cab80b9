import { type ApiFailure, isPassing, type ModelApi } from "@pawl/core/model";
import { APIConnectionError, APIError } from "openai/core/error";
import { isBrokenCall, refusedFor } from "./refusals.ts";

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

/** Types and codes of failures inside a stream that the same request would meet again. */
const lasting =
  /invalid|authentic|permission|not_found|forbidden|unauthorized|too_large|BadRequest|Moderation/i;

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
  // Gateways put the status of the server behind them into `code`, some as a text.
  const sent: unknown = error.code;
  const code = typeof sent === "string" && /^[45]\d\d$/.test(sent) ? Number(sent) : sent;
  const message = messageIn(error);
  const isSpent = spent.includes(code) || spent.includes(type);
  const isUnreached = error instanceof APIConnectionError;
  const refused = isUnreached ? undefined : refusedFor(error, message);
  const isBroken = refused === undefined && isBrokenCall(error, message);
  return {
    message,
    // The model's answer is broken, not the request that has this status.
    status: isBroken ? undefined : status,
    headers,
    type,
    // Circuit breakers know this code.
    errorCode: isSpent ? "spend_limit_reached" : (refused ?? code),
    requestId,
    isUnreached,
    // Some servers answer with status 500 if a prompt is too long. It stays too long.
    isSpent: isSpent || refused !== undefined,
    isTemporary: isBroken || (typeof code === "number" ? isPassing(code) : isTemporary(type, code)),
  };
}

/**
 * Returns whether a failure without a status, i.e. within a 200, is temporary. The request was accepted
 * before, so it is, unless the error says that the request is at fault.
 */
function isTemporary(type: unknown, code: unknown): boolean {
  if (passing.includes(type) || passing.includes(code)) return true;
  return ![type, code].some((one) => typeof one === "string" && lasting.test(one));
}

/** Returns the API's own message, without the status that the SDK prepends. */
function messageIn({ error }: APIError): unknown {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === "string" ? message : error;
}
