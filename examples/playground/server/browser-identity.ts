import { createHash, randomBytes } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { clientOf } from "./client.ts";

const COOKIE = "pawl_browser";
const SECRET = /^[A-Za-z0-9_-]{43}$/;
const YEAR_S = 365 * 24 * 3600;

/** Identifies users by a random cookie: one user per browser, without signing in. */
export interface BrowserIdentity {
  /** Sets the cookie on a browser's first visit. */
  middleware: MiddlewareHandler;
  /** Returns the user of a request that passed the middleware; `null` for others. */
  userOf(request: Request): { userId: string } | null;
}

/**
 * Creates a browser identity. The cookie is the secret, and the user id is a hash of it: ids appear in the
 * log and in folder names, and nobody can compute the cookie from them. Over TLS the cookie is marked
 * `secure`. With `trustProxy`, a proxy's header says whether the client used TLS.
 */
export function browserIdentity({ trustProxy = false } = {}): BrowserIdentity {
  const users = new WeakMap<Request, string>();
  return {
    middleware: async (c, next) => {
      const known = knownSecret(c);
      const secret = known ?? randomBytes(32).toString("base64url");
      users.set(c.req.raw, userIdOf(secret));
      await next();
      // The cookie is set after `next()`, because a handler that returns its own response would drop it.
      if (known === undefined) {
        const { secure } = clientOf(c, trustProxy);
        setCookie(c, COOKIE, secret, { httpOnly: true, secure, sameSite: "Lax", path: "/", maxAge: YEAR_S });
      }
    },
    userOf: (request) => {
      const userId = users.get(request);
      return userId === undefined ? null : { userId };
    },
  };
}

function knownSecret(c: Context): string | undefined {
  const sent = getCookie(c, COOKIE);
  return sent !== undefined && SECRET.test(sent) ? sent : undefined;
}

function userIdOf(secret: string): string {
  return `b_${createHash("sha256").update(secret).digest("hex").slice(0, 32)}`;
}
