import type { Runtime } from "@pawl/core";
import { agentApi, dataSources, type TrainerData, trainerExtra } from "@pawl/example-trainer";
import { type Authorized, handler, type RateLimiter, withinRate } from "@pawl/sse";
import type { Hono } from "hono";
import type { BrowserIdentity } from "./browser-identity.ts";
import { clientOf } from "./client.ts";
import { uploadRoutes } from "./uploads.ts";

/** The parts that the trainer's routes need. */
export interface TrainerServing {
  data: TrainerData;
  /** The models that a request may choose. */
  models: readonly string[];
  /** Identifies the user of a request to `/agent` by its bearer token. */
  authorize(request: Request): Authorized | Promise<Authorized>;
  /** Issues an access token for this browser's user. Absent if another server issues them. */
  issue?(userId: string): Promise<string>;
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

/** The routes that send a message to the trainer. */
const WRITING = ["/api/trainer/runs", "/agent/chat", "/agent/stream"];

/**
 * Adds the trainer's routes: the API under `/agent` with bearer tokens, `/api/trainer` for the page, and the
 * data of its charts. A user's first message creates sample data for the user.
 */
export function trainerRoutes(app: Hono, trainer: TrainerServing, around: Around): void {
  const { data, models, issue, rateLimit } = trainer;
  const { runtime, identity, maxMessage, expose, trustProxy, onError } = around;
  const welcome = welcoming(data);
  const ofBrowser = (request: Request): { userId: string } | null => {
    const user = identity.userOf(request);
    return user === null ? null : { userId: uuidOf(user.userId) };
  };
  const written = async (request: Request, user: { userId: string }) =>
    isWriting(request) ? await welcome(user.userId) : user;
  // A limit per user is not enough, because anybody can create users. So these routes are also limited by
  // address, before sample data is created.
  app.on("POST", [...WRITING, "/agent/sessions", "/agent/files"], async (c, next) => {
    await withinRate(rateLimit, `address:${clientOf(c, trustProxy).address}`);
    return await next();
  });
  const names = Object.fromEntries(dataSources().map(({ name, displayName }) => [name, displayName]));
  const api = agentApi({
    runtime,
    models,
    sources: names,
    maxInputLength: maxMessage,
    onError,
    ...(rateLimit && { rateLimit }),
    authorize: async (request) => {
      const caller = await trainer.authorize(request);
      // Only users of this server's own issuer get sample data.
      const isOurs = issue !== undefined && caller !== null && "userId" in caller;
      return isOurs ? await written(request, caller) : caller;
    },
  });
  const ofPage = {
    runtime,
    agent: "trainer",
    authorize: async (request: Request) => {
      const user = ofBrowser(request);
      return user === null ? null : await written(request, user);
    },
    basePath: "/api/trainer",
    maxInputLength: maxMessage,
    extra: trainerExtra(runtime, models),
    expose,
    onError,
  };
  const page = handler({ ...ofPage, ...(rateLimit && { rateLimit }) });
  if (issue !== undefined) {
    app.post("/agent/token", identity.middleware, async (c) => {
      const user = ofBrowser(c.req.raw);
      const access_token = await issue(user?.userId ?? "");
      c.header("cache-control", "no-store");
      return c.json({ access_token, token_type: "bearer", expires_in: 3_600 });
    });
  }
  app.get("/api/trainer/progress", async (c) => {
    const user = ofBrowser(c.req.raw);
    c.header("cache-control", "no-store");
    return c.json(await data.progress(user?.userId ?? "", { weeks: 10 }));
  });
  uploadRoutes(app, ofPage, trustProxy);
  app.all("/api/trainer/*", (c) => page(c.req.raw));
  app.all("/agent/*", (c) => api(c.req.raw));
}

function isWriting({ method, url }: Request): boolean {
  return method === "POST" && WRITING.includes(new URL(url).pathname);
}

/** Returns a function that creates sample data for a user, once per user and process. */
function welcoming(data: TrainerData): (userId: string) => Promise<{ userId: string }> {
  const known = new Map<string, Promise<void>>();
  return async (userId) => {
    const seeded = known.get(userId) ?? data.seed(userId);
    known.set(userId, seeded);
    await seeded.catch((error: unknown) => {
      known.delete(userId);
      throw error;
    });
    return { userId };
  };
}

/** Derives a UUID from a browser's user id, because Supabase's user ids are UUIDs. */
function uuidOf(browser: string): string {
  const hex = browser.replace(/^b_/, "");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    "-",
  );
}
