import { PawlError } from "@pawl/core";
import { bearerOf, decodeToken } from "./bearer-token.ts";
import { type ClaimRules, type SupabaseClaims, whyRefused } from "./claims.ts";
import { keySet } from "./key-set.ts";
import { ALGORITHMS, type AuthClient, type TokenAlgorithm, verifier } from "./verify-token.ts";

/** Options of `supabaseAuth()`. */
export interface SupabaseAuthOptions {
  /**
   * A client for nothing else, with `persistSession` and `autoRefreshToken` off and without the option
   * `accessToken`, which takes `client.auth` away.
   */
  client: AuthClient;
  /** The project's URL, e.g. `https://abcdefgh.supabase.co`. */
  url: string;
  /**
   * Who issues its tokens, where that is not `<url>/auth/v1`: behind another name than the one that users
   * see.
   */
  issuer?: string;
  /** For whom its tokens are. */
  audience?: string;
  /**
   * Accepted signature algorithms. Tokens signed otherwise are answered with 401, without a request to the
   * project. Default: `["ES256", "RS256", "HS256"]`. Without `HS256`, no token is ever sent to the project.
   */
  algorithms?: readonly TokenAlgorithm[];
  /** How long to wait for the project, in milliseconds. */
  timeoutMs?: number;
  fetch?: typeof fetch;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** Who asks. */
export interface SupabaseUser {
  userId: string;
  claims: SupabaseClaims;
}

/**
 * Says who sends a request, by the access token of Supabase Auth in its header `authorization: Bearer …`: the
 * user, or a response 401 that says in `www-authenticate` what is wrong. It is what `handler({ authorize })`
 * of `@pawl/sse` takes.
 *
 * Tokens that are signed with a key (ES256, RS256) are verified here, with the project's public keys, which
 * are kept for ten minutes. About those that are signed with the project's secret (HS256) Supabase is asked
 * each time, at most 16 at once. No other token causes a request, except one in 30 seconds for unknown keys.
 * Beyond the signature, a token must be of this project, for this audience, of a signed-in user (anonymous
 * sign-ins are some: `claims.is_anonymous`), and neither expired nor early.
 *
 * A token that was verified here is valid until it expires, also when its user has signed out meanwhile.
 *
 * @throws PawlError `config` for a client without `auth` and for unknown algorithms, and from the function
 *   `store_unavailable` (503) when Supabase cannot be asked. No error and no response ever contains a token.
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
    if (decoded === undefined) return unauthorized("This is no token.");
    // What is refused anyway is refused before anybody is asked about it.
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
    // It has the option `accessToken`.
  }
  throw new PawlError(
    "config",
    "supabaseAuth needs a client with auth.getClaims, made without the option accessToken.",
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

/** As RFC 6750 has it: what is wrong is said only to those who have sent a token. */
function unauthorized(why?: string): Response {
  const challenge = why === undefined ? "Bearer" : `Bearer error="invalid_token", error_description="${why}"`;
  return Response.json(
    { error: { code: "unauthorized", message: "Please sign in." } },
    { status: 401, headers: { "www-authenticate": challenge, "cache-control": "no-store" } },
  );
}
