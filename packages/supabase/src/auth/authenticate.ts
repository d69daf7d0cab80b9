import { PawlError } from "@pawl/core";
import { bearerOf, decodeToken } from "./bearer-token.ts";
import { type ClaimRules, type SupabaseClaims, whyRefused } from "./claims.ts";
import { keySet } from "./key-set.ts";
import { ALGORITHMS, type AuthClient, type TokenAlgorithm, verifier } from "./verify-token.ts";

/** Options of `supabaseAuth()`. */
export interface SupabaseAuthOptions {
  /**
   * A client for this purpose only. Turn `persistSession` and `autoRefreshToken` off. Do not set the option
   * `accessToken`: it disables `client.auth`.
   */
  client: AuthClient;
  /** The project's URL, e.g. `https://abcdefgh.supabase.co`. */
  url: string;
  /**
   * The issuer of the project's tokens, e.g. if users see the project under another name. Default:
   * `<url>/auth/v1`.
   */
  issuer?: string;
  /** The audience of the project's tokens. Default: `authenticated`. */
  audience?: string;
  /**
   * Accepted signature algorithms. Tokens signed otherwise are answered with 401, without a request to the
   * project. Default: `["ES256", "RS256", "HS256"]`. Without `HS256`, no token is ever sent to the project.
   */
  algorithms?: readonly TokenAlgorithm[];
  /** How long to wait for the project, in milliseconds. Default: 5,000. */
  timeoutMs?: number;
  /** Loads the project's public keys. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Returns the time in milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
}

/** The user of a request. */
export interface SupabaseUser {
  userId: string;
  claims: SupabaseClaims;
}

/**
 * Makes a function that identifies the user of a request by the access token of Supabase Auth in the header
 * `authorization: Bearer …`. It resolves to the user, or to a response 401 with the reason in
 * `www-authenticate`. Pass it to `handler({ authorize })` of `@pawl/sse`.
 *
 * Tokens that are signed with a key (ES256, RS256) are verified in this process with the project's public
 * keys, which are cached for ten minutes. Tokens that are signed with the project's secret (HS256) cost one
 * request to Supabase each, at most 16 at once. No other token causes a request, except one in 30 seconds for
 * unknown keys. A token must also be of this project and audience, of a signed-in user, and neither expired
 * nor early. Anonymous sign-ins are users too: see `claims.is_anonymous`.
 *
 * A token that was verified with a key is valid until it expires, even if its user signs out before.
 *
 * @throws PawlError `config` for a client without `auth` and for unknown algorithms. The function rejects
 * with `store_unavailable` (503) if Supabase cannot be reached. Errors and responses never contain a token.
 *
 * @example
 * ```ts
 * import { supabaseAuth } from "@pawl/supabase";
 * import { createClient } from "@supabase/supabase-js";
 *
 * const url = "https://abcdefgh.supabase.co";
 * const auth = { persistSession: false, autoRefreshToken: false };
 * const authenticate = supabaseAuth({ client: createClient(url, "sb_publishable_…", { auth }), url });
 *
 * const caller = await authenticate(new Request("https://coach.example/runs", { method: "POST" }));
 * if (caller instanceof Response) console.log(caller.status, caller.headers.get("www-authenticate"));
 * else console.log(caller.userId);
 * ```
 */
export function supabaseAuth(
  options: SupabaseAuthOptions,
): (request: Request) => Promise<SupabaseUser | Response> {
  const { client, audience = "authenticated", timeoutMs = 5_000, now = Date.now } = options;
  const { algorithms = ALGORITHMS } = options;
  const base = `${options.url.replace(/\/+$/, "")}/auth/v1`;
  const rules: ClaimRules = { issuer: options.issuer ?? base, audience };
  checkClient(client);
  checkAlgorithms(algorithms);
  const keyOf = keySet({
    url: `${base}/.well-known/jwks.json`,
    fetch: options.fetch ?? ((...args) => fetch(...args)),
    now,
    timeoutMs,
  });
  const verify = verifier({ client, algorithms, keyOf, timeoutMs });

  return async (request) => {
    const token = bearerOf(request);
    if (token === undefined) return unauthorized();
    const decoded = decodeToken(token);
    if (decoded === undefined) return unauthorized("This is not a token.");
    // Check the claims first: a token that is refused anyway must not cost a request.
    const early = whyRefused(decoded.claims, rules, now());
    if (early !== undefined) return unauthorized(early);
    const claims = await verify(decoded);
    if (claims === undefined) return unauthorized("The token is not valid.");
    const why = whyRefused(claims, rules, now());
    if (why !== undefined) return unauthorized(why);
    return { userId: String(claims.sub), claims: claims as SupabaseClaims };
  };
}

function checkClient(client: AuthClient): void {
  try {
    if (typeof client.auth.getClaims === "function") return;
  } catch {
    // The client has the option `accessToken`, so reading `auth` throws.
  }
  throw new PawlError(
    "config",
    "supabaseAuth() needs a `client` with auth.getClaims: one of a current supabase-js, made without the option `accessToken`.",
  );
}

function checkAlgorithms(algorithms: readonly TokenAlgorithm[]): void {
  const isKnown = (name: TokenAlgorithm) => ALGORITHMS.includes(name);
  if (Array.isArray(algorithms) && algorithms.length > 0 && algorithms.every(isKnown)) return;
  throw new PawlError(
    "config",
    `\`algorithms\` must be a list of ${ALGORITHMS.join(", ")}, at least one; got ${JSON.stringify(algorithms)}.`,
  );
}

/** Makes a 401 response. As in RFC 6750, only a request with a token is told the reason. */
function unauthorized(why?: string): Response {
  const challenge = why === undefined ? "Bearer" : `Bearer error="invalid_token", error_description="${why}"`;
  return Response.json(
    { error: { code: "unauthorized", message: "Please sign in." } },
    { status: 401, headers: { "www-authenticate": challenge, "cache-control": "no-store" } },
  );
}
