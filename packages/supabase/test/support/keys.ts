import { base64url, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

/** The claims of a user's access token, as Supabase's own server gives them. */
export interface TokenOptions {
  /** Default `authenticated`. */
  role?: string;
  /** Seconds from now; default an hour. */
  expiresIn?: number;
  /** Other claims, over the usual ones. */
  claims?: Record<string, unknown>;
}

/** A project's keys, and the tokens that they sign: ES256 for users, and HS256 for the roles of its own keys. */
export interface Keys {
  /** What `/auth/v1/.well-known/jwks.json` says. */
  readonly jwks: { keys: JWK[] };
  /** What PostgREST knows them by: the secret one too. */
  readonly all: { keys: JWK[] };
  /** A token of this user. */
  token(userId: string, options?: TokenOptions): Promise<string>;
  /** What the gateway puts in the place of a key of the project, for ten years. */
  roleToken(role: string): Promise<string>;
}

/** Makes them. `issuer` is the claim `iss`, the project's `/auth/v1`. */
export async function makeKeys(issuer: () => string): Promise<Keys> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const header = { alg: "ES256", kid: crypto.randomUUID(), typ: "JWT" };
  const jwk = { ...(await exportJWK(publicKey)), ...header, use: "sig" };
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const own = { alg: "HS256", kid: crypto.randomUUID(), typ: "JWT" };
  return {
    jwks: { keys: [jwk] },
    all: { keys: [jwk, { ...own, kty: "oct", use: "sig", k: base64url.encode(secret) }] },
    roleToken: async (role) =>
      await new SignJWT({ role }).setProtectedHeader(own).setExpirationTime("10y").sign(secret),
    async token(userId, { role = "authenticated", expiresIn = 3_600, claims = {} } = {}) {
      const now = Math.floor(Date.now() / 1_000);
      const usual = {
        iss: issuer(),
        sub: userId,
        aud: "authenticated",
        role,
        iat: now,
        exp: now + expiresIn,
      };
      return await new SignJWT({ ...usual, ...claims }).setProtectedHeader(header).sign(privateKey);
    },
  };
}
