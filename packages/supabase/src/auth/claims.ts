/** The claims of a verified token of Supabase Auth, including any others that the token has. */
export interface SupabaseClaims {
  /** The user's id. */
  sub: string;
  /** Who issued the token. */
  iss: string;
  /** For whom the token was issued, usually `authenticated`. */
  aud: string | string[];
  /** The user's role in the database, usually `authenticated`. */
  role: string;
  /** When the token expires, in seconds since 1970. */
  exp: number;
  /** Whether the user signed in anonymously, without an account. */
  is_anonymous?: boolean;
  /** The user's e-mail address, if the account has one. */
  email?: string;
  /** Id of the user's login. */
  session_id?: string;
  [claim: string]: unknown;
}

export interface ClaimRules {
  issuer: string;
  audience: string;
}

/**
 * The form in which Supabase writes user ids. The same id in another spelling would count as another user.
 */
const USER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Returns why a token is refused, in words for the client's developer; `undefined` if it is accepted. This
 * check is needed because `getClaims` checks only the signature and `exp`: it accepts tokens of the anonymous
 * and service roles.
 */
export function whyRefused(
  claims: { readonly [claim: string]: unknown },
  { issuer, audience }: ClaimRules,
  nowMs: number,
): string | undefined {
  const { sub, iss, aud, role, exp, nbf = 0 } = claims;
  const now = nowMs / 1_000;
  if (typeof exp !== "number" || !Number.isFinite(exp)) return "The token does not say when it expires.";
  if (exp <= now) return "The token has expired.";
  if (typeof nbf !== "number" || nbf > now) return "The token is not valid yet.";
  if (iss !== issuer) return "The token has another issuer.";
  if (aud !== audience && !(Array.isArray(aud) && aud.includes(audience))) {
    return "The token is for another audience.";
  }
  if (role !== "authenticated" || typeof sub !== "string" || !USER_ID.test(sub)) {
    return "The token does not belong to a signed-in user.";
  }
  return undefined;
}
