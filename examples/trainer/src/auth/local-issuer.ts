import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { PawlError } from "@pawl/core";
import { type SupabaseUser, supabaseAuth } from "@pawl/supabase";
import { createClient } from "@supabase/supabase-js";
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";

/**
 * Identifies the issuer in its tokens. No request is sent to this address, because this process has the keys.
 */
const URL = "http://issuer.localhost";
const ALGORITHM = "ES256";
const HOUR_S = 3_600;

/** Issues access tokens in this process, in place of Supabase Auth. */
export interface LocalIssuer {
  /** Issues an access token for this user, a UUID. Valid for one hour. */
  issue(userId: string): Promise<string>;
  /** Checks a request's token with the code that runs in production. Pass it to `handler({ authorize })`. */
  authorize(request: Request): Promise<SupabaseUser | Response>;
}

export interface LocalIssuerOptions {
  /**
   * File that keeps the signing key, so that tokens survive a restart. Default: a new key for each issuer.
   */
  keyFile?: string;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/**
 * Creates an issuer that signs and checks tokens as Supabase does: with ES256, an issuer, an audience and an
 * expiry. The check is `supabaseAuth()`, which calls `getClaims` of supabase-js. The key set comes from this
 * process, no other algorithm is accepted, and nothing is sent over the network.
 *
 * @example
 * ```ts
 * import { localIssuer } from "@pawl/example-trainer";
 *
 * const issuer = await localIssuer();
 * const token = await issuer.issue("6f0c5b1e-0000-4000-8000-000000000001");
 * const request = new Request("http://localhost/agent/sessions", {
 *   headers: { authorization: `Bearer ${token}` },
 * });
 * const caller = await issuer.authorize(request);
 * console.log(caller instanceof Response ? caller.status : caller.userId);
 * ```
 */
export async function localIssuer({
  keyFile,
  now = Date.now,
}: LocalIssuerOptions = {}): Promise<LocalIssuer> {
  const jwk = await keyIn(keyFile);
  const key = await importJWK(jwk, ALGORITHM).catch(() => {
    throw noKey(keyFile);
  });
  const { d: _, ...published } = jwk;
  const keys = { keys: [{ ...published, alg: ALGORITHM, use: "sig" }] };
  const auth = { persistSession: false, autoRefreshToken: false };
  const authorize = supabaseAuth({
    client: createClient(URL, "local", { auth }),
    url: URL,
    // Supabase's client would send tokens of other algorithms to the issuer's server. This issuer has no
    // server.
    algorithms: [ALGORITHM],
    fetch: async () => Response.json(keys),
    now,
  });
  return {
    authorize,
    issue: async (userId) => {
      const issuedAt = Math.floor(now() / 1_000);
      return await new SignJWT({ role: "authenticated", session_id: randomUUID() })
        .setProtectedHeader({ alg: ALGORITHM, kid: String(jwk.kid), typ: "JWT" })
        .setSubject(userId)
        .setIssuer(`${URL}/auth/v1`)
        .setAudience("authenticated")
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + HOUR_S)
        .sign(key);
    },
  };
}

/** Reads the signing key from the file. If there is no file, creates a key and stores it there. */
async function keyIn(file: string | undefined): Promise<JWK> {
  const kept = file && (await readFile(file, "utf8").catch(() => undefined));
  if (kept) return parsedKey(kept, file);
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: randomUUID() };
  if (file !== undefined) {
    await mkdir(dirname(file), { recursive: true });
    // Readable by its owner only: the key can sign in as any user.
    await writeFile(file, JSON.stringify(jwk), { mode: 0o600 });
  }
  return jwk;
}

function parsedKey(text: string, file: string): JWK {
  try {
    const jwk = JSON.parse(text) as JWK;
    if (typeof jwk.kid === "string" && typeof jwk.d === "string") return jwk;
  } catch {}
  throw noKey(file);
}

/**
 * Reports an unusable key file, without its text and the parser's message: both may contain parts of the key.
 */
function noKey(file: string | undefined): PawlError {
  return new PawlError(
    "config",
    `The file "${file}" contains no valid signing key. Delete it to have a new key created.`,
  );
}
