import type { MiddlewareHandler } from "hono";
import { refuseNul } from "../request/refuse-nul.ts";
import { refusal } from "../request/wire-error.ts";
import { checkCaller, isResponse } from "../session/own-session.ts";
import type { Served } from "./handler-options.ts";
import type { Env } from "./routes.ts";

/**
 * Calls `authorize` for each request. Answers 401 if it returns `null`, and sends a `Response` that it
 * returns.
 */
export function identified(authorize: Served["authorize"]): MiddlewareHandler<Env> {
  return async (c, next) => {
    const caller = await authorize(c.req.raw);
    if (caller === null) throw refusal(401, "unauthorized", "Please sign in.");
    if (isResponse(caller)) return caller;
    c.set("caller", checkCaller(caller));
    c.set("userId", caller.userId);
    refuseNul(c.req.url);
    return await next();
  };
}
