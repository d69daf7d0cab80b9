import { type ModelFailure, messageOf, PawlError } from "../../base/errors.ts";
import { isPassing, type ResponseHeaders, retryAfterMs } from "./http-failure.ts";
import { withoutSecrets } from "./secrets.ts";
import { type SetUp, setUpHint, withHint } from "./set-up-hint.ts";

/** An API that a model client calls through an SDK, for {@link modelFailure}. */
export interface ModelApi extends Pick<SetUp, "maker" | "variables" | "publicHost"> {
  /** The beginning of the SDK's error if no key is set. */
  missingKey: string;
  /** A further sentence for the developer if no key is set. */
  missingKeyHint?: string;
  /** Reads an error of the SDK. Returns `undefined` for all other errors. */
  read(error: unknown): ApiFailure | undefined;
}

// The SDKs copy some fields unchecked from the server's JSON. These have the type `unknown`.
/** The fields of an SDK's error. Fields of the type `unknown` are ignored unless they are strings. */
export interface ApiFailure {
  /** The API's own message. Default: the message of the error. */
  message?: unknown;
  /** The HTTP status. `undefined` for failures inside a stream. */
  status: number | undefined;
  headers?: ResponseHeaders | undefined;
  type?: unknown;
  errorCode?: unknown;
  requestId?: unknown;
  /** Whether there was no connection, or it was lost. */
  isUnreached: boolean;
  /** Whether a budget is exhausted, so that retrying does not help. Takes precedence over the status. */
  isSpent: boolean;
  /** Whether a failure without a status is temporary. */
  isTemporary: boolean;
}

/** The call that failed, for {@link modelFailure}. */
export interface FailedCall {
  /** The secrets to remove from the error, see {@link withoutSecrets}. */
  secrets: readonly string[];
  /** The request's id, if the response had one. */
  requestId?: string | undefined;
  /**
   * The model's id and the URL, to name them in the error. Leave it out for an SDK client of the
   * application's own, which has its own key and URL.
   */
  client?: Pick<SetUp, "model" | "baseURL"> | undefined;
}

/**
 * Converts an error of an SDK to a `model_error` with the details that retries need, with a hint for the
 * developer, and without secrets. A `PawlError` keeps its code and its details.
 *
 * @example
 * ```ts
 * import { type ModelApi, modelFailure } from "@pawl/core/model";
 *
 * class SdkError extends Error {
 *   status = 401;
 * }
 * const api: ModelApi = {
 *   maker: "mine()",
 *   variables: { key: "MY_API_KEY", url: "MY_BASE_URL" },
 *   publicHost: "api.example.com",
 *   missingKey: "No key",
 *   read: (error) =>
 *     error instanceof SdkError
 *       ? { status: error.status, isUnreached: false, isSpent: false, isTemporary: false }
 *       : undefined,
 * };
 * const call = { secrets: ["key-1"], client: { model: "m-1" } };
 * const { message, details } = modelFailure(api, new SdkError("Wrong key key-1"), call);
 * console.log(message); // Wrong key …. Check MY_API_KEY, or `apiKey` of mine().
 * console.log(details); // { status: 401, retryable: false }
 * ```
 */
export function modelFailure(
  api: ModelApi,
  error: unknown,
  { secrets, requestId, client }: FailedCall,
): PawlError {
  if (client !== undefined && messageOf(error).startsWith(api.missingKey))
    return withoutSecrets(missingKeyFailure(api, error), secrets);
  const apiFailure = api.read(error);
  const failure = withoutSecrets(convertedFailure(error, apiFailure, requestId), secrets);
  const isUnreached = apiFailure?.isUnreached === true || isInvalidURL(error);
  return withHint(failure, client && setUpHint({ ...failure.details, isUnreached }, { ...api, ...client }));
}

/**
 * Returns the retryable `model_error` for an answer that ended before it was complete.
 *
 * @example
 * ```ts
 * import { cutOffAnswer } from "@pawl/core/model";
 *
 * console.log(cutOffAnswer("req_1").details); // { retryable: true, requestId: 'req_1' }
 * ```
 */
export function cutOffAnswer(requestId: string | undefined): PawlError {
  const details: ModelFailure = { retryable: true, ...(requestId === undefined ? {} : { requestId }) };
  return new PawlError("model_error", "The model's answer was cut off before it was complete.", {
    details: { ...details },
  });
}

function missingKeyFailure({ maker, variables, missingKeyHint }: ModelApi, cause: unknown): PawlError {
  const remedy = `Set this environment variable, or pass \`apiKey\` to ${maker}.`;
  return new PawlError(
    "model_error",
    `${variables.key} is not set. ${remedy}${missingKeyHint === undefined ? "" : ` ${missingKeyHint}`}`,
    { cause, details: { type: "authentication_error", retryable: false } },
  );
}

function convertedFailure(
  error: unknown,
  apiFailure: ApiFailure | undefined,
  requestId: string | undefined,
): PawlError {
  const details = detailsOf(error, apiFailure);
  if (details.requestId === undefined && requestId !== undefined) details.requestId = requestId;
  const message = textOrUndefined(apiFailure?.message) ?? messageOf(error);
  const options = { cause: PawlError.is(error) ? error.cause : error, details: { ...details } };
  return new PawlError(PawlError.is(error) ? error.code : "model_error", message, options);
}

function detailsOf(error: unknown, apiFailure: ApiFailure | undefined): ModelFailure {
  if (PawlError.is(error)) return { ...error.details } as unknown as ModelFailure;
  if (apiFailure === undefined) return { retryable: isLostConnection(error) };
  const { status } = apiFailure;
  const type = textOrUndefined(apiFailure.type);
  const errorCode = textOrUndefined(apiFailure.errorCode);
  const requestId = textOrUndefined(apiFailure.requestId);
  const wait = retryAfterMs(apiFailure.headers);
  return {
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(errorCode === undefined ? {} : { errorCode }),
    retryable: isRetryable(apiFailure),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function isRetryable({ status, headers, isUnreached, isSpent, isTemporary }: ApiFailure): boolean {
  if (isUnreached) return true;
  if (isSpent) return false;
  return status === undefined ? isTemporary : isPassing(status, headers);
}

/** Returns whether the connection broke while the body was read: a `TypeError` of `fetch`, or an abort. */
function isLostConnection(error: unknown): boolean {
  const isBroken = error instanceof TypeError && !isInvalidURL(error);
  return isBroken || (error instanceof Error && error.name === "AbortError");
}

/** Returns whether the request could not be sent because its URL is invalid. */
function isInvalidURL(error: unknown): boolean {
  return error instanceof TypeError && /invalid url/i.test(error.message);
}
