import { type ModelFailure, PawlError } from "../../base/errors.ts";
import { MALFORMED } from "../malformed.ts";

/** How a model client was set up, for {@link setUpHint}. */
export interface SetUp {
  /** The function that made the client, e.g. `claude()`. */
  maker: string;
  /** The id of the model. */
  model: string;
  /** The environment variables of the API's key and of its URL. */
  variables: { key: string; url: string };
  /** The URL that requests were sent to, if it is known. */
  baseURL?: string | undefined;
  /** The host of the public API. */
  publicHost: string;
}

/**
 * Returns a hint for the developer after a failure that a wrong key, model id or URL may have caused. A
 * malformed answer is such a failure unless the public API sent it. Returns an empty text for other failures.
 * The hint contains the URL's host, but no secrets.
 *
 * @param failure the failure's details, and whether there was no connection at all
 *
 * @example
 * ```ts
 * import { setUpHint } from "@pawl/core/model";
 *
 * const variables = { key: "MY_API_KEY", url: "MY_BASE_URL" };
 * const setUp = { maker: "mine()", model: "m-1", variables, publicHost: "api.example.com" };
 * console.log(setUpHint({ status: 401 }, setUp)); // Check MY_API_KEY, or `apiKey` of mine().
 * ```
 */
export function setUpHint(
  { status, type, isUnreached = false }: Pick<ModelFailure, "status" | "type"> & { isUnreached?: boolean },
  { maker, model, variables, baseURL, publicHost }: SetUp,
): string {
  if (status === 401) return `Check ${variables.key}, or \`apiKey\` of ${maker}.`;
  const host = baseURL !== undefined && URL.canParse(baseURL) ? new URL(baseURL).host : undefined;
  // Without a URL, the SDK uses the public API.
  const isPublic = host === undefined || host === publicHost;
  const url = `${variables.url}, or \`baseURL\` of ${maker}`;
  if (status === 404 || type === "not_found_error")
    return `Check the model's id, "${model}"${isPublic ? "" : `, and the URL (${host}): ${url}`}.`;
  if (type === MALFORMED)
    return isPublic ? "" : `Check that ${host} serves the API that ${maker} expects: ${url}.`;
  if (!isUnreached) return "";
  // `new URL("localhost:8080")` has a protocol, "localhost:", and no host.
  if (baseURL !== undefined && !host) return `Check ${url}: it must begin with https:// or http://.`;
  return isPublic ? `No connection to ${publicHost}.` : `No connection to ${host}. Check ${url}.`;
}

/**
 * Returns a copy of an error with a hint as the last sentence of its message. Call `withoutSecrets()` first,
 * because it shortens a long message and would cut off the hint.
 *
 * @param hint e.g. of {@link setUpHint}. Without one, the error is returned unchanged.
 *
 * @example
 * ```ts
 * import { PawlError } from "@pawl/core";
 * import { withHint } from "@pawl/core/model";
 *
 * const failure = new PawlError("model_error", "invalid key");
 * console.log(withHint(failure, "Check MY_API_KEY.").message); // invalid key. Check MY_API_KEY.
 * ```
 */
export function withHint(failure: PawlError, hint: string | undefined): PawlError {
  if (!hint) return failure;
  const { code, message, cause, details } = failure;
  // Find the end of the message without dots and spaces. A regular expression would take quadratic time.
  let end = message.length;
  while (end > 0 && /[.\s]/.test(message[end - 1] as string)) end -= 1;
  return new PawlError(code, `${message.slice(0, end)}. ${hint}`, {
    ...(cause !== undefined && { cause }),
    details,
  });
}
