import type { ApiError } from "../base/api-error.ts";

/** OpenAI's type, message and code of error for each status. */
const known: { readonly [status: number]: { type?: string; message: string; errorCode?: string } } = {
  401: { message: "Incorrect API key provided." },
  402: { type: "insufficient_quota", message: "You exceeded your current quota." },
  403: { message: "You are not allowed to do this." },
  404: { message: "Not Found" },
  429: {
    type: "tokens",
    message: "Rate limit reached. Please try again later.",
    errorCode: "rate_limit_exceeded",
  },
  500: { message: "The server had an error while processing your request. Sorry about that!" },
  503: { message: "The engine is currently overloaded, please try again later." },
};

/** Returns an error with this status. The type, code and message default to OpenAI's own. */
export function chatError(
  status: number,
  given: { type?: string; message?: string; errorCode?: string; param?: string } = {},
): ApiError {
  const usual = known[status] ?? { message: status >= 500 ? (known[500]?.message ?? "") : "Bad Request" };
  const type = given.type ?? usual.type ?? (status >= 500 ? "server_error" : "invalid_request_error");
  const errorCode = given.errorCode ?? (given.type === undefined ? usual.errorCode : undefined);
  return {
    status,
    type,
    message: given.message ?? usual.message,
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(given.param === undefined ? {} : { param: given.param }),
  };
}

/** Returns the error for an invalid request, with status 400. */
export function refused(message: string, param: string, errorCode?: string): ApiError {
  return chatError(400, { message, param, ...(errorCode === undefined ? {} : { errorCode }) });
}
