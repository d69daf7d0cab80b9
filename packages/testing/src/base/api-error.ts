/** An error as an API answers it: the HTTP status and the `error` object of the body. */
export interface ApiError {
  status: number;
  /** e.g. `invalid_request_error`, `overloaded_error`. */
  type: string;
  message: string;
  /** `error.details.error_code` of the Messages API and `error.code` of OpenAI's, where the API names one. */
  errorCode?: string;
  /** The field that is wrong, where the API names one. */
  param?: string;
}

/** The error type the API pairs with a status. */
const typeOfStatus: { readonly [status: number]: string } = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** The API's message for a fault without one. */
const messageOfType: ReadonlyMap<string, string> = new Map([
  ["api_error", "Internal server error"],
  ["overloaded_error", "Overloaded"],
  ["rate_limit_error", "This request would exceed your organization's rate limit."],
  ["timeout_error", "Request timed out"],
]);

/** The error for an invalid request: status 400. */
export function invalid(message: string): ApiError {
  return { status: 400, type: "invalid_request_error", message };
}

/** The error of `status`, with the API's own type and message as defaults. */
export function errorOfStatus(
  status: number,
  given: { type?: string; message?: string; errorCode?: string } = {},
): ApiError {
  const type = given.type ?? typeOfStatus[status] ?? "api_error";
  const message = given.message ?? messageOfType.get(type) ?? type;
  return {
    status,
    type,
    message,
    ...(given.errorCode === undefined ? {} : { errorCode: given.errorCode }),
  };
}

/** The JSON body of an error answer, and the data of an `error` event inside a stream. */
export function errorBody(error: ApiError, requestId?: string): unknown {
  const details = error.errorCode === undefined ? {} : { details: { error_code: error.errorCode } };
  return {
    type: "error",
    error: { type: error.type, message: error.message, ...details },
    ...(requestId === undefined ? {} : { request_id: requestId }),
  };
}
