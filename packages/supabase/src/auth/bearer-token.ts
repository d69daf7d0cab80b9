type Claims = { readonly [claim: string]: unknown };

/** A token that was decoded but not verified. */
export interface DecodedToken {
  token: string;
  header: Claims;
  claims: Claims;
}

/**
 * The maximum length of a token. Supabase does not issue longer tokens, and servers refuse longer headers.
 */
const MAX_TOKEN = 8_192;
const JWT = /^([\w-]+)\.([\w-]+)\.[\w-]+$/;

/**
 * Returns the token in the header `authorization: Bearer …`. Returns `undefined` if the header is missing or
 * has another scheme.
 */
export function bearerOf(request: Request): string | undefined {
  const match = /^bearer(?: +(.*))?$/i.exec(request.headers.get("authorization") ?? "");
  return match === null ? undefined : (match[1] ?? "");
}

/** Returns a token's header and claims, without verifying them; `undefined` if the text is not a JWT. */
export function decodeToken(token: string): DecodedToken | undefined {
  const [, header, claims] = (token.length <= MAX_TOKEN && JWT.exec(token)) || [];
  if (header === undefined || claims === undefined) return undefined;
  try {
    const decoded = { token, header: decodePart(header), claims: decodePart(claims) };
    return isObject(decoded.header) && isObject(decoded.claims) ? (decoded as DecodedToken) : undefined;
  } catch {
    return undefined;
  }
}

function decodePart(part: string): unknown {
  const binary = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
