import { type RateLimiter, withinRate } from "@pawl/sse";
import type { Hono } from "hono";
import type { BrowserIdentity } from "./browser-identity.ts";
import { clientOf } from "./client.ts";
import type { RocketLeague } from "./rocket-league.ts";

/** The parts that the Rocket League coach's routes need. */
export interface RocketLeagueServing extends Pick<RocketLeague, "coach" | "backend" | "issue"> {
  /** Limits the messages of each user. Default: no limit. */
  rateLimit?: RateLimiter;
}

interface Around {
  identity: BrowserIdentity;
  maxMessage: number;
  trustProxy: boolean;
  expose: "public" | "all";
}

const PATH = "/api/rocket-league";

/**
 * Adds the Rocket League coach's routes: `/api/rocket-league` for the page, and `GET
 * /api/rocket-league/budget`, the user's token budget. The page has no token; this server adds the user's to
 * each request.
 */
export function rocketLeagueRoutes(app: Hono, serving: RocketLeagueServing, around: Around): void {
  const { coach, backend, issue, rateLimit } = serving;
  const { identity, maxMessage, trustProxy, expose } = around;
  const page = coach.pageHandler({
    path: PATH,
    maxInputLength: maxMessage,
    expose,
    ...(rateLimit && { rateLimit }),
  });
  const tokenFor = async (request: Request) => await issue(identity.userOf(request)?.userId ?? "");
  // A limit per user is not enough, because anybody can create users.
  app.on("POST", `${PATH}/runs`, async (c, next) => {
    await withinRate(rateLimit, `address:${clientOf(c, trustProxy).address}`);
    return await next();
  });
  app.get(`${PATH}/budget`, async (c) => await backend("/budget", await tokenFor(c.req.raw)));
  app.all(`${PATH}/*`, async (c) => {
    const { raw } = c.req;
    const headers = new Headers(raw.headers);
    headers.set("authorization", `Bearer ${await tokenFor(raw)}`);
    return await page(new Request(raw, { headers }));
  });
}
