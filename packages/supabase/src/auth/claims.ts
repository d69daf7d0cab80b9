/** What a verified token of Supabase says. Others of its claims are there too. */
export interface SupabaseClaims {
  /** The user's id. */
  sub: string;
  iss: string;
  aud: string | string[];
  role: string;
  /** Seconds since 1970. */
  exp: number;
  /** Signed in without an account. */
  is_anonymous?: boolean;
  email?: string;
  session_id?: string;
  [claim: string]: unknown;
}

export interface ClaimRules {
  issuer: string;
  audience: string;
}

/** As Supabase writes them. Another spelling of the same id would be another user to us. */
const USER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Why a token is not accepted for what it says, in words for whoever sent it; `undefined` when it is.
 * `getClaims` looks at the signature and `exp` only, so a token of another project, or of the anonymous or
 * service role, would pass.
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
  if (iss !== issuer) return "The token was issued by somebody else.";
  if (aud !== audience && !(Array.isArray(aud) && aud.includes(audience))) {
    return "The token is for another audience.";
  }
  if (role !== "authenticated" || typeof sub !== "string" || !USER_ID.test(sub)) {
    return "The token is not that of a signed-in user.";
  }
  return undefined;
}
