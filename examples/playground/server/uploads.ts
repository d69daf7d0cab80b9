import { type HandlerOptions, handler, type RateLimiter, withinRate } from "@pawl/sse";
import type { Hono } from "hono";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { clientOf } from "./client.ts";

/** How many files a user, and an address, may upload: `points` per `duration`, which is in seconds. */
const RATE = { points: 60, duration: 60 };

/**
 * Adds the routes for files of messages below `basePath`. Uploads have a limit of their own, because one
 * message may have twenty files.
 */
export function uploadRoutes(
  app: Hono,
  options: HandlerOptions & { basePath: string },
  trustProxy: boolean,
): void {
  const rateLimit: RateLimiter = new RateLimiterMemory(RATE);
  const files = handler({ ...options, rateLimit });
  // A limit per user is not enough, because anybody can create users.
  app.on("POST", `${options.basePath}/files`, async (c, next) => {
    await withinRate(rateLimit, `address:${clientOf(c, trustProxy).address}`);
    return await next();
  });
  for (const path of ["/files", "/files/*"]) app.all(`${options.basePath}${path}`, (c) => files(c.req.raw));
}
