import type { Runtime, Session } from "@pawl/core";
import type { Context, Handler, Hono } from "hono";
import { refusal } from "../request/wire-error.ts";
import type { Caller } from "../session/caller.ts";
import type { ReadFor } from "../session/within-read.ts";
import type { Closing } from "../stream/event-stream.ts";
import type { Follower } from "../stream/followers.ts";
import { conditional } from "./conditional.ts";

/** The values that Hono keeps for a request after `authorize`. */
export interface Env {
  Variables: { userId: string; caller: Caller };
}

/** What a request's stream reports. */
export interface Streaming {
  /** Counts the stream as one by which a client follows its session. */
  follower: Follower;
  /** Must be called when the stream closes, or if no stream is made. Only the first call counts. */
  onClose(how: Closing | "refused"): void;
}

/**
 * Makes a streamed response, or answers 429 if the user has too many streams open. The stream counts as open
 * until it calls `onClose`.
 */
export type Limited = (
  c: Context<Env, string>,
  make: (streaming: Streaming) => Promise<Response>,
) => Promise<Response>;

/** Serves the methods of one path. Any other method answers 405. */
export function route(
  app: Hono<Env>,
  path: string,
  methods: { readonly GET?: Handler<Env>; readonly POST?: Handler<Env> },
): void {
  const { GET, POST } = methods;
  if (GET !== undefined)
    app.get(path, async (c, next) => conditional(c.req.raw, (await GET(c, next)) as Response));
  if (POST !== undefined) app.post(path, POST);
  const allow = methods.GET === undefined ? "POST" : "GET, HEAD";
  app.all(path, () => {
    throw refusal(405, "method_not_allowed", `This path accepts ${allow} only.`, { allow });
  });
}

/** Returns for whom a route reads a session, whole or a page of it. */
export function readFor(
  c: Context<Env, string>,
  runtime: Runtime,
  { id: sessionId }: Session,
  page: unknown,
): ReadFor {
  const { signal } = c.req.raw;
  return { runtime, userId: c.get("userId"), sessionId, isPart: page !== undefined, signal };
}

/** Returns a JSON response that must not be cached. */
export function json(body: object): Response {
  return Response.json(body, { headers: { "cache-control": "no-store" } });
}
