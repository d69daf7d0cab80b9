import { PawlError } from "@pawl/core";
import { safeText } from "../base/safe-error.ts";
import type { DecodedToken } from "./bearer-token.ts";
import type { PublicKey } from "./key-set.ts";

/** The part of a supabase-js client that `supabaseAuth()` uses. */
export interface AuthClient {
  auth: {
    getClaims(
      token: string,
      options?: { jwks?: { keys: never[] } },
    ): Promise<{ data: { claims: object } | null; error: unknown }>;
  };
}

/** A signature algorithm. ES256 and RS256 sign with a key of the project, HS256 with the project's secret. */
export type TokenAlgorithm = "ES256" | "RS256" | "HS256";

export interface VerifierOptions {
  client: AuthClient;
  algorithms: readonly TokenAlgorithm[];
  keyOf(kid: string): Promise<PublicKey | undefined>;
  timeoutMs: number;
}

type Claims = { readonly [claim: string]: unknown };

/** Verifies a token's signature. Resolves to its claims, or to `undefined` if the signature is not valid. */
export type Verifier = (token: DecodedToken) => Promise<Claims | undefined>;

/** The type of key for each algorithm. Any other algorithm is refused, including `none`. */
const KEY_TYPES: { readonly [alg: string]: string } = { ES256: "EC", RS256: "RSA" };

/** The default for `algorithms`. */
export const ALGORITHMS: readonly TokenAlgorithm[] = ["ES256", "RS256", "HS256"];

/** How many tokens the server checks at once. Further tokens are refused with 503. */
const MAX_ASKED = 16;

/**
 * Returns a verifier that uses `getClaims`. If a token is signed with a key, `getClaims` is given the key and
 * makes no request. If it is signed with the project's secret (HS256), only the server can verify it, so
 * `getClaims` makes one request.
 *
 * @throws PawlError `store_unavailable` if the token could not be checked.
 */
export function verifier({ client, algorithms, keyOf, timeoutMs }: VerifierOptions): Verifier {
  const asked = new Map<string, Promise<Claims | undefined>>();

  const askServer: Verifier = async ({ token }) => {
    const underWay = asked.get(token);
    if (underWay !== undefined) return await underWay;
    if (asked.size >= MAX_ASKED) throw unavailable(new Error("Too many tokens are being checked at once."));
    const answer = claimsOf(within(timeoutMs, client.auth.getClaims(token))).finally(() =>
      asked.delete(token),
    );
    asked.set(token, answer);
    return await answer;
  };

  return async (decoded) => {
    const { token, header } = decoded;
    if (!algorithms.some((algorithm) => algorithm === header.alg)) return undefined;
    if (header.alg === "HS256") return await askServer(decoded);
    if (typeof header.alg !== "string" || !Object.hasOwn(KEY_TYPES, header.alg)) return undefined;
    if (typeof header.kid !== "string") return undefined;
    const key = await keyOf(header.kid).catch((error: unknown) => {
      throw unavailable(error);
    });
    if (key === undefined || key.kty !== KEY_TYPES[header.alg]) return undefined;
    return await claimsOf(client.auth.getClaims(token, { jwks: { keys: [key as never] } }));
  };
}

/**
 * Returns the claims of a valid token, or `undefined` for an invalid one. supabase-js resolves to an error
 * for some invalid tokens and throws for others.
 *
 * @throws PawlError `store_unavailable` if the server could not be reached.
 */
async function claimsOf(answer: ReturnType<AuthClient["auth"]["getClaims"]>): Promise<Claims | undefined> {
  try {
    const { data, error } = await answer;
    if (error !== null && error !== undefined) throw error;
    return data === null ? undefined : (data.claims as Claims);
  } catch (error) {
    if (isOutage(error)) throw unavailable(error);
    return undefined;
  }
}

function isOutage(error: unknown): boolean {
  const { name, status } = (error ?? {}) as { name?: unknown; status?: unknown };
  if (error instanceof TimeoutError || name === "AuthRetryableFetchError" || name === "AuthUnknownError")
    return true;
  return typeof status === "number" && (status === 408 || status === 429 || status >= 500);
}

class TimeoutError extends Error {}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError("The server did not respond in time.")), ms);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function unavailable(error: unknown): PawlError {
  // The error itself may quote the request's headers, and so a key or the token.
  const cause = Object.assign(new Error(safeText(error)), { status: (error as { status?: unknown }).status });
  return new PawlError("store_unavailable", "Your sign-in cannot be checked right now. Please try again.", {
    cause,
  });
}
