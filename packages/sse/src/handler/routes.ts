import type { Context, Handler, Hono } from "hono";
import { errorResponse } from "../request/wire-error.ts";

/** Facts about a request once its caller is known. */
export interface Env {
  Variables: { userId: string };
}

/**
 * Answers with a stream, unless its user has too many open. The stream counts as open until `onClose` is
 * called.
 */
export type Limited = (
  c: Context<Env, string>,
  make: (onClose: () => void) => Promise<Response>,
) => Promise<Response>;

/** Serves a path. Methods other than those given answer 405. */
export function route(
  app: Hono<Env>,
  path: string,
  methods: { readonly GET?: Handler<Env>; readonly POST?: Handler<Env> },
): void {
  for (const [method, serve] of Object.entries(methods)) app.on(method, path, serve);
  const allow = methods.GET === undefined ? "POST" : "GET, HEAD";
  app.all(path, () =>
    errorResponse(405, "method_not_allowed", `This path accepts ${allow} only.`, { allow }),
  );
}

/** Returns a JSON response that must not be cached. */
export function json(body: object): Response {
  return Response.json(body, { headers: { "cache-control": "no-store" } });
}
