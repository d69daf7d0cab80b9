import { jwtVerify, SignJWT } from "jose";

/** Issues and checks users' bearer tokens. */
export interface Tokens {
  /** Issues a token of a user. It is valid for an hour, or for `seconds`. */
  issue(userId: string, seconds?: number): Promise<string>;
  /** Returns a token's user, or `null` if the token is wrong or has expired. */
  userOf(token: string): Promise<string | null>;
}

const ISSUER = "rocket-league-coach";

/** Creates tokens that are signed with a shared secret (HS256). An app has an identity provider instead. */
export function sharedTokens(secret: string): Tokens {
  const key = new TextEncoder().encode(secret);
  return {
    issue: async (userId, seconds = 3_600) =>
      await new SignJWT()
        .setProtectedHeader({ alg: "HS256" })
        .setIssuer(ISSUER)
        .setSubject(userId)
        .setExpirationTime(Math.floor(Date.now() / 1_000) + seconds)
        .sign(key),
    userOf: async (token) => {
      const rules = { issuer: ISSUER, algorithms: ["HS256"], requiredClaims: ["sub", "exp"] };
      return await jwtVerify(token, key, rules).then(
        ({ payload }) => payload.sub ?? null,
        () => null,
      );
    },
  };
}
