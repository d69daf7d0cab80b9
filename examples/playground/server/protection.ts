import type { MiddlewareHandler } from "hono";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // `blob:` is for pictures that are about to be sent.
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

/**
 * Sets headers that isolate the page from other sites. A response may have a stricter content security policy
 * of its own: files of users are in a sandbox.
 */
export const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  const { headers } = c.res;
  for (const [name, value] of Object.entries(HEADERS))
    if (name !== "content-security-policy" || !headers.has(name)) headers.set(name, value);
};

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Checks whether a host is a loopback address, which only its own machine can reach. */
export function isLoopback(boundTo: string): boolean {
  return LOOPBACK.has(boundTo) || boundTo === "::1";
}

/**
 * Refuses requests that pages of other sites send. On a loopback address, also checks the host name: a
 * foreign name could resolve to this machine, and its pages would count as this site's.
 */
export function ownPageOnly(boundTo: string): MiddlewareHandler {
  const local = isLoopback(boundTo);
  return async (c, next) => {
    const { host, hostname } = new URL(c.req.url);
    const origin = c.req.header("origin");
    const foreign = origin !== undefined && hostOf(origin) !== host;
    if (foreign || (local && !LOOPBACK.has(hostname))) {
      return c.json(
        {
          error: {
            code: "forbidden",
            message: "Only the playground's own page may send requests to this address.",
          },
        },
        403,
      );
    }
    return await next();
  };
}

/** Refuses compressed bodies: what they inflate to has no limit. */
export const plainBodies: MiddlewareHandler = async (c, next) => {
  const coding = c.req.header("content-encoding") ?? "identity";
  if (coding.toLowerCase() === "identity") return await next();
  c.header("accept-encoding", "identity");
  const error = { code: "invalid_input", message: "Send the body without compression." };
  return c.json({ error }, 415);
};

/**
 * Returns the host of an origin. `undefined` if the origin is not written exactly as browsers write it, e.g.
 * with a backslash.
 */
function hostOf(origin: string): string | undefined {
  const url = URL.parse(origin);
  return url?.origin === origin ? url.host : undefined;
}
