import type { MiddlewareHandler } from "hono";
import { refuseNul } from "../request/refuse-nul.ts";
import { refusal, type WireError } from "../request/wire-error.ts";
import type { Caller } from "../session/caller.ts";
import { checkCaller, isResponse, unsent } from "../session/own-session.ts";
import type { Served } from "./handler-options.ts";
import type { Env } from "./routes.ts";

/** Turns other values that `authorize` or `admit` has thrown into errors. Hono handles nothing else. */
export const errorsOnly: MiddlewareHandler<Env> = async (_c, next) => {
  try {
    await next();
  } catch (thrown) {
    if (thrown instanceof Error) throw thrown;
    const what = isResponse(thrown) ? "a Response was thrown: return it instead" : "no Error was thrown";
    throw new Error(`The request failed, and ${what}.`, { cause: thrown });
  }
};

/**
 * Calls `authorize` for each request. Answers 401 if it returns `null`, and sends a `Response` that it
 * returns.
 */
export function identified(authorize: Served["authorize"]): MiddlewareHandler<Env> {
  return async (c, next) => {
    const caller = await authorize(c.req.raw);
    // HTTP requires a challenge. Browsers show no dialog for this one, so an app with cookies loses nothing.
    if (caller === null)
      throw refusal(401, "unauthorized", "Please sign in.", { "www-authenticate": "Bearer" });
    if (isResponse(caller)) return unsent(caller, "authorize()");
    c.set("caller", checkCaller(caller));
    c.set("userId", caller.userId);
    refuseNul(c.req.url);
    return await next();
  };
}

const SIGNED_OUT: WireError["error"] = {
  code: "unauthorized",
  message: "You are not signed in any more. Please sign in again.",
};

/**
 * Calls `authorize` again for a request whose stream has lasted long, and returns the error for its client
 * unless it is still the same user's. Rejects as `authorize` does.
 */
export async function signedOut(
  authorize: Served["authorize"],
  request: Request,
  { userId }: Caller,
): Promise<WireError["error"] | undefined> {
  const caller = await authorize(request);
  if (caller === null || isResponse(caller)) return SIGNED_OUT;
  return checkCaller(caller).userId === userId ? undefined : SIGNED_OUT;
}
