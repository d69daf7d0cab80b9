import { serveStatic } from "@hono/node-server/serve-static";
import type { FileStore, Runtime } from "@pawl/core";
import { handler, type RateLimiter, responseTo } from "@pawl/sse";
import { Hono, type MiddlewareHandler } from "hono";
import { except } from "hono/combine";
import { browserIdentity } from "./browser-identity.ts";
import { coachRoutes } from "./coach-routes.ts";
import type { ServerFleet } from "./fleet/fleet.ts";
import { fleetRoutes, noFleetRoutes } from "./fleet/routes.ts";
import type { ModelInfo } from "./models.ts";
import { isLoopback, ownPageOnly, plainBodies, securityHeaders } from "./protection.ts";
import { type RocketLeagueServing, rocketLeagueRoutes } from "./rocket-league-routes.ts";
import { type SearchServing, searchRoutes } from "./search-routes.ts";
import { type TrainerServing, trainerRoutes } from "./trainer-routes.ts";

/** The agents that the page offers. */
const TITLES = [
  { name: "coach", title: "Coach" },
  { name: "trainer", title: "Trainer" },
  { name: "rocket-league", title: "Rocket League" },
  { name: "search", title: "Search" },
];

const NO_ROUTE =
  "No such page or route. This server serves the page at /, GET /healthz, and routes under /api and /agent.";

/** Shown on the fleet's page if others can reach this server. */
const NO_FLEET =
  "This page starts and kills processes on the playground's machine. So it works only where you run the playground on your own machine, with npm start.";

/** The longest message that the page sends, in UTF-16 code units. */
const MAX_MESSAGE = 4_000;

export interface AppOptions {
  runtime: Runtime;
  /** The agents to serve, each at `/api/<agent>`. Default: the coach. */
  agents?: readonly string[];
  /** The store of the coach's files, with the files of all users. Without it, the page shows no files. */
  files?: FileStore;
  /** Limits the messages of each user to the coach. Default: no limit. */
  coachRateLimit?: RateLimiter;
  /** The parts of the trainer. Without them, the trainer is not served. */
  trainer?: TrainerServing;
  /** The parts of the Rocket League coach. Without them, it is not served. */
  rocketLeague?: RocketLeagueServing;
  /** The parts of the search agent. Without them, it is not served. */
  search?: SearchServing;
  /** The fleet. It starts processes, so it is served on a loopback host only. Default: none. */
  fleet?: ServerFleet;
  info: ModelInfo;
  /** The host to which the server is bound. */
  host: string;
  /** The directory of the built page. */
  webDir: string;
  /**
   * Whether all requests come through a proxy that sets `x-forwarded-for` and `x-forwarded-proto`. Default:
   * `false`.
   */
  trustProxy?: boolean;
  /** Called with errors that are answered with 500. */
  onError?(error: unknown): void;
}

/** Creates the playground's routes: health, the API, and the page. */
export function playgroundApp({
  runtime,
  agents = ["coach"],
  files,
  coachRateLimit,
  trainer,
  rocketLeague,
  search,
  fleet,
  info,
  host,
  webDir,
  trustProxy = false,
  onError = () => undefined,
}: AppOptions): Hono {
  const app = new Hono();
  const identity = browserIdentity({ trustProxy });
  // Only the developer can reach a loopback host, so the page may show internal events.
  const expose: "all" | "public" = isLoopback(host) ? "all" : "public";
  const parts = { trainer, "rocket-league": rocketLeague, search };
  const served = new Set([...agents, ...Object.entries(parts).flatMap(([name, one]) => (one ? [name] : []))]);
  const shown = TITLES.filter(({ name }) => served.has(name));
  const serve = (agent: string) =>
    handler({
      runtime,
      agent,
      authorize: identity.userOf,
      basePath: `/api/${agent}`,
      maxInputLength: MAX_MESSAGE,
      expose,
      onError,
    });
  app.onError((error) => {
    const response = responseTo(error);
    if (response.status >= 500) onError(error);
    return response;
  });
  app.notFound((c) => {
    const { pathname } = new URL(c.req.url);
    const message = `${NO_ROUTE} The request was ${c.req.method} ${pathname}.`;
    return c.json({ error: { code: "not_found", message } }, 404);
  });

  app.use(securityHeaders);
  app.get("/healthz", (c) => c.json({ ok: true }));
  app.use(ownPageOnly(host));
  app.use(plainBodies);
  // The API under `/agent` identifies its callers by a token.
  app.use(except("/agent/*", identity.middleware));
  const isOwnMachine = isLoopback(host) && !trustProxy;
  const more = fleet !== undefined && isOwnMachine ? { fleet: true } : {};
  app.get("/api/info", (c) => c.json({ ...info, ...more, maxMessage: MAX_MESSAGE, agents: shown }));
  if (fleet !== undefined && isOwnMachine) fleetRoutes(app, fleet, identity);
  else if (fleet !== undefined) noFleetRoutes(app, NO_FLEET);
  const around = { runtime, identity, maxMessage: MAX_MESSAGE, expose, trustProxy, onError };
  if (trainer !== undefined) trainerRoutes(app, trainer, around);
  if (rocketLeague !== undefined) rocketLeagueRoutes(app, rocketLeague, around);
  if (search !== undefined) searchRoutes(app, search, around);
  if (agents.includes("coach")) {
    const serving = { ...(files && { files }), ...(coachRateLimit && { rateLimit: coachRateLimit }) };
    coachRoutes(app, serving, around);
  }
  for (const agent of agents.filter((name) => name !== "coach")) {
    const answer = serve(agent);
    app.all(`/api/${agent}/*`, (c) => answer(c.req.raw));
  }
  app.get("*", caching, serveStatic({ root: webDir }));
  return app;
}

/** Caches assets for ever, because their names contain a hash. The page itself is not cached. */
const caching: MiddlewareHandler = async (c, next) => {
  await next();
  const isAsset = c.req.path.startsWith("/assets/");
  if (c.res.ok)
    c.res.headers.set("cache-control", isAsset ? "public, max-age=31536000, immutable" : "no-cache");
};
