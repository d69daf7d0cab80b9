import { limitedResponse } from "./http.ts";
import type { McpServerOptions } from "./options.ts";
import { checkPublic } from "./public-address.ts";

/** Sends a request to an authorization server, or for metadata. */
export type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

const CONNECT_TIMEOUT_MS = 30_000;

/** The longest answer of an authorization server. The SDK would list every mistake in it. */
const MOST_ANSWER_BYTES = 100_000;

/**
 * Returns a fetch for all that signing in needs. It goes to public addresses only, and to those that the app
 * has named. It follows no redirects: the SDK does, within one origin, and each is a request that is checked
 * again. Answers are limited, in time and size.
 */
export function signInFetch<Deps>(options: McpServerOptions<Deps>): Fetch {
  const { fetch: own = fetch, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const named = namedBy(options);
  return async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    await checkPublic(new URL(input), named);
    const signal = AbortSignal.timeout(connectTimeoutMs);
    return limitedResponse(await own(input, { ...init, redirect: "manual", signal }), MOST_ANSWER_BYTES);
  };
}

/** Returns the addresses that the app has named: of the MCP server, and of its authorization server. */
export function namedBy<Deps>({ url, oauth }: McpServerOptions<Deps>): URL[] {
  return [url, oauth?.issuer].filter((one) => one !== undefined).map((one) => new URL(String(one)));
}
