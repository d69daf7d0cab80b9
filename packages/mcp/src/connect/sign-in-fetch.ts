import { limitedResponse } from "./http.ts";
import type { McpServerOptions } from "./options.ts";

/** Sends a request to an authorization server, or for metadata. */
export type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

const CONNECT_TIMEOUT_MS = 30_000;

/** The longest answer of an authorization server. The SDK would list every mistake in it. */
const MOST_ANSWER_BYTES = 100_000;

/** Returns a fetch for all that signing in needs. Its answers are limited, in time and size. */
export function signInFetch<Deps>({
  fetch: own = fetch,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
}: McpServerOptions<Deps>): Fetch {
  return async (input: string | URL, init: RequestInit = {}): Promise<Response> =>
    limitedResponse(
      await own(input, { ...init, signal: AbortSignal.timeout(connectTimeoutMs) }),
      MOST_ANSWER_BYTES,
    );
}
