import type { ModelFailure } from "../base/errors.ts";

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
 * Returns what a developer should check after a failure that a wrong key, model id or URL may have caused; an
 * empty text for other failures. The text contains the URL's host, but no secrets.
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
  const isPublic = host === undefined || host === publicHost;
  const url = `${variables.url}, or \`baseURL\` of ${maker}`;
  if (status === 404 || type === "not_found_error")
    return `Check the model's id, "${model}"${isPublic ? "" : `, and the URL (${host}): ${url}`}.`;
  if (!isUnreached) return "";
  // `new URL("localhost:8080")` has a protocol, "localhost:", and no host.
  if (baseURL !== undefined && !host) return `Check ${url}: it must begin with https:// or http://.`;
  return isPublic ? `No connection to ${publicHost}.` : `No connection to ${host}. Check ${url}.`;
}
