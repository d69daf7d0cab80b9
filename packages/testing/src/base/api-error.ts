/** An error response of a simulated API: the HTTP status and the fields of the body's `error` object. */
export interface ApiError {
  /** The HTTP status. */
  status: number;
  /** The API's type of error, e.g. `invalid_request_error` or `overloaded_error`. */
  type: string;
  /** The reason in words. */
  message: string;
  /**
   * The API's code for the error, if it has one: `error.details.error_code` in the Messages API, `error.code`
   * in OpenAI's.
   */
  errorCode?: string;
  /** The request's field that is wrong, if the API names it. */
  param?: string;
}

/** The error type that the Messages API uses for each status. */
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

/** The message of each error type, for a fault without a message of its own. */
const messageOfType: ReadonlyMap<string, string> = new Map([
  ["api_error", "Internal server error"],
  ["overloaded_error", "Overloaded"],
  ["rate_limit_error", "This request would exceed your organization's rate limit."],
  ["timeout_error", "Request timed out"],
]);

/** Returns the error for an invalid request, with status 400. */
export function invalid(message: string): ApiError {
  return { status: 400, type: "invalid_request_error", message };
}

/** Returns an error with this status. The type and message default to the Messages API's own. */
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

/** Returns the JSON body of an error response. An `error` event in a stream has the same data. */
export function errorBody(error: ApiError, requestId?: string): unknown {
  const details = error.errorCode === undefined ? {} : { details: { error_code: error.errorCode } };
  return {
    type: "error",
    error: { type: error.type, message: error.message, ...details },
    ...(requestId === undefined ? {} : { request_id: requestId }),
  };
}
