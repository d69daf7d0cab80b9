import { checkOptions, type OptionKinds, PawlError } from "@pawl/core";
import { bearerOf, decodeToken } from "./bearer-token.ts";
import { type ClaimRules, type SupabaseClaims, whyRefused } from "./claims.ts";
import { keySet } from "./key-set.ts";
import { ALGORITHMS, type AuthClient, type TokenAlgorithm, verifier } from "./verify-token.ts";

/** Options of `supabaseAuth()`. */
export interface SupabaseAuthOptions {
  /**
   * A supabase-js client that nothing else uses. Turn `persistSession` and `autoRefreshToken` off. Do not set
   * `accessToken`: it disables `client.auth`.
   */
  client: AuthClient;
  /** The project's URL, e.g. `https://abcdefgh.supabase.co`. */
  url: string;
  /**
   * The issuer in the project's tokens (claim `iss`). Set it if the project has a custom domain. Default:
   * `<url>/auth/v1`.
   */
  issuer?: string;
  /** The audience in the project's tokens (claim `aud`). Default: `authenticated`. */
  audience?: string;
  /**
   * The signature algorithms to accept. Tokens with any other algorithm get a 401. Without `HS256`, all
   * tokens are verified in this process. Default: `["ES256", "RS256", "HS256"]`.
   */
  algorithms?: readonly TokenAlgorithm[];
  /** Milliseconds to wait for a response of the project. Default: 5,000. */
  timeoutMs?: number;
  /** Sends the request for the project's public keys. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Returns the time in milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
}

const OPTIONS: OptionKinds<SupabaseAuthOptions> = {
  client: "any!",
  url: "string!",
  issuer: "string",
  audience: "string",
  algorithms: "any",
  timeoutMs: "number",
  fetch: "function",
  now: "function",
};

const INSTEAD = {
  supabase: "Use `client`.",
  supabaseUrl: "Use `url`.",
  jwtSecret: "Use `client` and `url`.",
};

/** The user of a request. */
export interface SupabaseUser {
  /** The user's id, from the token's `sub`. */
  userId: string;
  /** All claims of the token. */
  claims: SupabaseClaims;
}

/**
 * Returns a function that identifies the user of a request by the access token of Supabase Auth. The token is
 * in the header `authorization: Bearer …`. Pass the function to `handler({ authorize })` of `@pawl/sse`. It
 * resolves to the user, or to a 401 response with the reason in `www-authenticate`.
 *
 * - The token must be from this project, for this audience and a signed-in user, and currently valid.
 *   Anonymous sign-ins count as signed in: see `claims.is_anonymous`.
 * - Tokens that are signed with a key (ES256, RS256) are verified in this process. The project's public keys
 *   are cached for ten minutes.
 * - Tokens that are signed with the project's secret (HS256) need one request to Supabase each. At most 16
 *   are checked at once; further tokens get a 503.
 * - A user who signs out is accepted until the token expires, if the token is signed with a key.
 *
 * @throws PawlError `config` for a client without `auth` and for unknown algorithms. The returned function
 * rejects with `store_unavailable` (503) if Supabase cannot be reached. Errors and responses never contain a
 * token.
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
  checkOptions("supabaseAuth()", options, OPTIONS, { instead: INSTEAD });
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
    // Check the claims first, so that a token that is refused anyway costs no request.
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
    // Reading `auth` of a client with the option `accessToken` throws.
  }
  throw new PawlError(
    "config",
    "supabaseAuth() needs a `client` with auth.getClaims. Use createClient() of a current supabase-js, without the option `accessToken`.",
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

/**
 * Returns a 401 response. Without `why`, the request had no token, and the response has no reason (RFC 6750).
 */
function unauthorized(why?: string): Response {
  const challenge = why === undefined ? "Bearer" : `Bearer error="invalid_token", error_description="${why}"`;
  return Response.json(
    { error: { code: "unauthorized", message: "Please sign in." } },
    { status: 401, headers: { "www-authenticate": challenge, "cache-control": "no-store" } },
  );
}
