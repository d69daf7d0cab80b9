import type { FileStore, Runtime } from "@pawl/core";
import { coachExtra, messageRows } from "@pawl/example-coach";
import { handler, type RateLimiter, refuseNul, withinRate } from "@pawl/sse";
import { coach as coachDialect } from "@pawl/sse/dialects";
import type { Hono } from "hono";
import type { BrowserIdentity } from "./browser-identity.ts";
import { clientOf } from "./client.ts";
import { coachFiles } from "./coach-files.ts";
import { uploadRoutes } from "./uploads.ts";

/** The parts that the coach's routes need. */
export interface CoachServing {
  /** The store of the coach's files, with the files of all users. Without it, the page shows no files. */
  files?: FileStore;
  /** Limits the messages of each user. Default: no limit. */
  rateLimit?: RateLimiter;
}

interface Around {
  runtime: Runtime;
  identity: BrowserIdentity;
  maxMessage: number;
  trustProxy: boolean;
  expose: "public" | "all";
  onError(error: unknown): void;
}

/** The routes that send a message to the coach. */
const WRITING = ["/api/coach/runs", "/api/chat/runs"];

/**
 * Adds the coach's routes: `/api/coach` for the page, `/api/chat` in the coach's own dialect, and the files.
 * `GET /api/chat/sessions/:id/messages` returns a session as rows of text, with the calls beside them.
 */
export function coachRoutes(app: Hono, { files, rateLimit }: CoachServing, around: Around): void {
  const { runtime, identity, maxMessage, trustProxy, expose, onError } = around;
  const common = {
    runtime,
    agent: "coach",
    authorize: identity.userOf,
    maxInputLength: maxMessage,
    extra: coachExtra(),
    onError,
    ...(rateLimit && { rateLimit }),
  };
  const page = handler({ ...common, basePath: "/api/coach", expose });
  const chat = handler({ ...common, basePath: "/api/chat", dialect: coachDialect() });
  // A limit per user is not enough, because anybody can create users.
  app.on("POST", WRITING, async (c, next) => {
    await withinRate(rateLimit, `address:${clientOf(c, trustProxy).address}`);
    return await next();
  });
  app.get("/api/chat/sessions/:id/messages", async (c) => {
    refuseNul(c.req.url);
    const { userId = "" } = identity.userOf(c.req.raw) ?? {};
    const { session, messages } = await runtime.view(c.req.param("id"), { userId });
    if (session.agent !== "coach") return c.notFound();
    c.header("cache-control", "no-store");
    return c.json({ messages: messageRows(messages) });
  });
  uploadRoutes(app, { ...common, basePath: "/api/coach" }, trustProxy);
  uploadRoutes(app, { ...common, basePath: "/api/chat" }, trustProxy);
  app.all("/api/coach/*", (c) => page(c.req.raw));
  app.all("/api/chat/*", (c) => chat(c.req.raw));
  if (files !== undefined) coachFiles(app, files, identity);
}
