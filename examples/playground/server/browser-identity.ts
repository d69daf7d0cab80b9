import { createHash, randomBytes } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { clientOf } from "./client.ts";

const COOKIE = "pawl_browser";
const SECRET = /^[A-Za-z0-9_-]{43}$/;
const YEAR_S = 365 * 24 * 3600;

/** Who asks, known by a random cookie: one person per browser, without signing in. */
export interface BrowserIdentity {
  /** Sets the cookie on a browser's first visit. */
  middleware: MiddlewareHandler;
  /** Who a request comes from that passed the middleware. */
  userOf(request: Request): { userId: string } | null;
}

/**
 * The cookie is the secret, the user id a hash of it: ids stand in the log and in folder names, and whoever
 * reads one there must not be able to come in with it. Over TLS the cookie is for TLS alone; `trustProxy` as
 * in {@link clientOf}.
 */
export function browserIdentity({ trustProxy = false } = {}): BrowserIdentity {
  const users = new WeakMap<Request, string>();
  return {
    middleware: async (c, next) => {
      const known = knownSecret(c);
      const secret = known ?? randomBytes(32).toString("base64url");
      users.set(c.req.raw, userIdOf(secret));
      await next();
      // Afterwards: a response that was made elsewhere would come without it.
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
