/** The claims of a verified token of Supabase. Its other claims are kept too. */
export interface SupabaseClaims {
  /** The user's id. */
  sub: string;
  iss: string;
  aud: string | string[];
  role: string;
  /** Seconds since 1970. */
  exp: number;
  /** `true` for a user without an account (anonymous sign-in). */
  is_anonymous?: boolean;
  email?: string;
  session_id?: string;
  [claim: string]: unknown;
}

export interface ClaimRules {
  issuer: string;
  audience: string;
}

/** User ids as Supabase writes them. Another spelling of the same id would count as another user. */
const USER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Returns why a token's claims are not accepted, in words for its sender; `undefined` if they are.
 * `getClaims` checks the signature and `exp` only, so tokens of another project, or of the anonymous or
 * service role, would pass it.
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
