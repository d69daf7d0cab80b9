import {
  type Json,
  type JsonObject,
  type Runtime,
  readShown,
  type Session,
  type StoredEvent,
} from "@pawl/core";
import {
  type Authorized,
  handler,
  type RateLimiter,
  responseTo,
  type WireError,
  type WireErrorCode,
  withinRate,
} from "@pawl/sse";
import { trainer as trainerDialect } from "@pawl/sse/dialects";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { chatAnswer } from "./client-response.ts";
import { trainerExtra } from "./extra.ts";
import { wireEvent, wireSession } from "./wire-session.ts";

export interface AgentApiOptions {
  runtime: Runtime;
  /** Authenticates a request, e.g. `supabaseAuth()` or `localIssuer().authorize`. */
  authorize(request: Request): Authorized | Promise<Authorized>;
  /** The names of models that a request may choose. */
  models: readonly string[];
  /** Display names of knowledge sources, by source name. */
  sources?: { readonly [source: string]: string };
  /** Limits how many messages a user may send, e.g. `new RateLimiterMemory({ points: 20, duration: 60 })`. */
  rateLimit?: RateLimiter;
  /** The longest message, in UTF-16 code units. */
  maxInputLength?: number;
  /** Called with internal errors, whose details the client does not get. */
  onError?(error: unknown): void;
}

const AGENT = "trainer";
const RECENT = 20;
const MOST_SESSIONS = 100;
const MAX_BODY_BYTES = 1_000_000;
const ROUTES =
  "This API serves POST /agent/chat, POST /agent/stream, GET and POST /agent/sessions, and GET /agent/sessions/:id.";

interface Env {
  Variables: { userId: string };
}

/**
 * Serves the trainer over HTTP, for clients other than the page. Every path under `/agent` requires a bearer
 * token.
 *
 * - `POST /agent/chat`: `{ message, sessionId?, currentWorkout?, model? }`: the whole answer at once, see
 *   {@link ChatAnswer}
 * - `POST /agent/stream`: the same request, streamed in the trainer's dialect
 * - `GET /agent/sessions?limit=10`: `{ sessions }`, newest first
 * - `POST /agent/sessions`: creates a session: 201 `{ session }`
 * - `GET /agent/sessions/:id`: `{ session, recentActions }`: its last calls and their results
 *
 * A request without `sessionId` continues the newest session that is active or waiting for a reply, or begins
 * a new one. Errors are `{ error: { code, message } }`: 400 for an invalid request, 401, 404 for a session
 * that is not the user's, 409 while a run is in progress, 413, 429. If the model failed, `chat` answers 502
 * with a {@link ChatAnswer}.
 *
 * @example
 * ```ts
 * import { memoryStore, runtime } from "@pawl/core";
 * import { agentApi, localIssuer, trainer, trainerData } from "@pawl/example-trainer";
 * import { embeddedStore } from "@pawl/postgres/embedded";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const model = scriptedModel([
 *   { tools: [{ name: "message_notify_user", input: { message: "Good morning." } }] },
 *   { tools: [{ name: "idle", input: { reason: "Greeted." } }] },
 * ]);
 * const database = await embeddedStore();
 * const data = await trainerData(database.db);
 * const agents = [trainer({ models: [model] })];
 * const pawl = runtime({ agents, store: memoryStore(), deps: () => ({ trainer: data }) });
 * const { authorize, issue } = await localIssuer();
 * const api = agentApi({ runtime: pawl, authorize, models: [model.id] });
 *
 * const token = await issue("6f0c5b1e-0000-4000-8000-000000000001");
 * const response = await api(
 *   new Request("http://localhost/agent/chat", {
 *     method: "POST",
 *     headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
 *     body: JSON.stringify({ message: "Good morning" }),
 *   }),
 * );
 * console.log(response.status, await response.text());
 * // 200 {"sessionId":"…","response":{"messages":["Good morning."], …
 * await database.close();
 * ```
 */
export function agentApi(options: AgentApiOptions): (request: Request) => Promise<Response> {
  const { runtime, authorize, onError } = options;
  const { serve, events } = served(options);
  const app = new Hono<Env>().basePath("/agent");
  app.notFound((c) => {
    const message = `No such route. ${ROUTES} The request was ${c.req.method} ${c.req.path}.`;
    return c.json(wireError("not_found", message), 404);
  });
  app.onError((error) => {
    const response = responseTo(error);
    if (response.status >= 500) onError?.(error);
    return response;
  });
  app.use("*", async (c, next) => {
    const caller = await authorize(c.req.raw);
    if (caller === null) {
      c.header("www-authenticate", "Bearer");
      return c.json(wireError("unauthorized", "Please sign in."), 401);
    }
    if (!("userId" in caller)) return caller;
    c.set("userId", caller.userId);
    c.header("cache-control", "no-store");
    return await next();
  });
  const tooLarge = wireError("too_large", `The body may have at most ${MAX_BODY_BYTES} bytes.`);
  app.use("*", bodyLimit({ maxSize: MAX_BODY_BYTES, onError: (c) => c.json(tooLarge, 413) }));
  app.post("/stream", async (c) => await serve(c));
  app.post("/chat", async (c) => {
    const told = await serve(c);
    if (!told.ok) return told;
    // The stream ends with the run. The result is read from the log.
    await told.text();
    const sessionId = decodeURIComponent(told.headers.get("x-pawl-session") ?? "");
    const runId = decodeURIComponent(told.headers.get("x-pawl-run") ?? "");
    const place = await runtime.enterRead({ userId: c.get("userId"), sessionId });
    const answer = await chatAnswer(sessionId, runId, readShown(runtime.store, sessionId)).finally(
      place.leave,
    );
    return c.json(answer, answer.stop.type === "error" ? 502 : 200);
  });
  app.get("/sessions", async (c) => {
    const limit = Number(c.req.query("limit") ?? 10);
    if (!Number.isInteger(limit) || limit < 1 || limit > MOST_SESSIONS)
      return c.json(
        wireError("invalid_input", `limit must be a whole number from 1 to ${MOST_SESSIONS}.`),
        400,
      );
    const sessions = await runtime.store.sessions.list({ userId: c.get("userId"), agent: AGENT, limit });
    return c.json({ sessions: sessions.map(wireSession) });
  });
  app.post("/sessions", async (c) => {
    await withinRate(options.rateLimit, c.get("userId"));
    const begun = { id: crypto.randomUUID(), userId: c.get("userId"), agent: AGENT };
    return c.json({ session: wireSession(await runtime.store.sessions.create(begun)) }, 201);
  });
  app.get("/sessions/:id", async (c) => {
    const id = c.req.param("id");
    const told = await events(c, id);
    if (!told.ok) return told;
    const log = ((await told.json()) as { events: StoredEvent[] }).events;
    const actions = log.filter(({ type }) => type === "tool_call" || type === "tool_result");
    const session = (await runtime.store.sessions.get(id)) as Session;
    return c.json({ session: wireSession(session), recentActions: actions.slice(-RECENT).map(wireEvent) });
  });
  return async (request) => await app.fetch(request);
}

/**
 * Creates functions that call the handler of `@pawl/sse`. They translate the trainer's paths to the
 * handler's, and choose a session for requests without one.
 */
function served(options: AgentApiOptions) {
  const { runtime, models, sources, rateLimit, maxInputLength, onError } = options;
  const users = new WeakMap<Request, string>();
  const answer = handler({
    runtime,
    agent: AGENT,
    dialect: trainerDialect(sources && { sources }),
    extra: trainerExtra(runtime, models),
    authorize: (request) => ({ userId: users.get(request) ?? "" }),
    ...(rateLimit && { rateLimit }),
    ...(maxInputLength !== undefined && { maxInputLength }),
    ...(onError && { onError: (error: unknown) => onError(error) }),
  });
  const ask = async ({ req, get }: Context<Env>, path: string, init: RequestInit): Promise<Response> => {
    const request = new Request(new URL(path, req.url), { ...init, signal: req.raw.signal });
    users.set(request, get("userId"));
    return await answer(request);
  };
  return {
    serve: async (c: Context<Env>): Promise<Response> => {
      const body = await withSession(runtime, c.get("userId"), await c.req.text());
      const coding = c.req.header("content-encoding");
      const type = { "content-type": c.req.header("content-type") ?? "" };
      const headers = { ...type, ...(coding !== undefined && { "content-encoding": coding }) };
      return await ask(c, "/runs", { method: "POST", headers, body });
    },
    /** Returns the visible events of a session. A session of another user or agent is answered with 404. */
    events: async (c: Context<Env>, id: string): Promise<Response> =>
      await ask(c, `/sessions/${encodeURIComponent(id)}/events`, {}),
  };
}

/**
 * Adds a session id to a request without one: the user's newest session that is active or waiting for a
 * reply, if there is one.
 */
async function withSession(runtime: Runtime, userId: string, body: string): Promise<string> {
  const sent = parsed(body);
  if (sent === undefined || (sent.sessionId !== undefined && sent.sessionId !== null)) return body;
  const status = ["active", "suspended"] as const;
  const [newest] = await runtime.store.sessions.list({ userId, agent: AGENT, status: [...status], limit: 1 });
  return newest === undefined
    ? body
    : (orUndefined(() => JSON.stringify({ ...sent, sessionId: newest.id })) ?? body);
}

/** Parses a body as JSON. Returns `undefined` unless the value is an object. */
function parsed(body: string): JsonObject | undefined {
  const value = orUndefined(() => JSON.parse(body) as Json);
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : undefined;
}

/**
 * Runs `work`; returns `undefined` if it throws, e.g. for invalid JSON. The handler reports the error to the
 * client.
 */
function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function wireError(code: WireErrorCode, message: string): WireError {
  return { error: { code, message } };
}
