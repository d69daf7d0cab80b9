import { type Agent, PawlError, type Runtime, readShown, type SessionEvent } from "@pawl/core";
import { newView, reduceView } from "@pawl/core/view";
import { type Context, Hono } from "hono";
import type { Dialect } from "../dialects/base/dialect.ts";
import { native } from "../dialects/native.ts";
import { refuseNul } from "../request/refuse-nul.ts";
import { errorResponse, refusal, responseTo } from "../request/wire-error.ts";
import { listSessions } from "../session/list-sessions.ts";
import { checkUser, isResponse } from "../session/own-session.ts";
import { checkExpose, type Expose, publicEvent } from "../session/public-event.ts";
import { HEARTBEAT_MS, runHeaders } from "../stream/event-stream.ts";
import { cursorOf, logStream } from "../stream/log-stream.ts";
import { streamLimit } from "../stream/stream-limit.ts";
import { started } from "../stream/tell-run.ts";
import { agentName, checkDialect } from "./check-dialect.ts";
import { type CorsOptions, corsOf } from "./cors.ts";
import { checkExtra, type ExtraFields, readRequest } from "./extra-fields.ts";
import { type RateLimiter, withinRate } from "./rate-limit.ts";
import { namedSession, type Replaying, replayRoutes, tellNewRun } from "./replay-routes.ts";
import { type Env, json, type Limited, route } from "./routes.ts";

/** Options of `handler()`. `Name` are the names of the runtime's agents. */
export interface HandlerOptions<Name extends string = string> {
  /** Runs the agent, and has the store of the sessions. */
  runtime: Runtime<Name>;
  /** The agent to serve, or its name. Requests for sessions of other agents get a 404. */
  agent: NoInfer<Name> | Agent<never, NoInfer<Name>>;
  /** Returns the user of a request. Return `null` to answer 401, or a `Response` to send it as it is. */
  authorize(request: Request): Authorized | Promise<Authorized>;
  /**
   * The path before `/runs` and `/sessions`, e.g. `/api/coach`. Leave it out if your router removes this part
   * of the path. Default: none.
   */
  basePath?: string;
  /**
   * Milliseconds without an event after which a stream sends a heartbeat. Default: 5,000. Keep it below
   * 10,000 on Bun, whose server closes a connection that is silent for 10 s.
   */
  heartbeatMs?: number;
  /**
   * The maximum size of a request's body, in bytes. A larger one answers 413. In dialects whose clients send
   * their history, `maxHistoryBytes` limits the history instead. Default: 1,000,000.
   */
  maxBodyBytes?: number;
  /**
   * The maximum size of the history that a client sends, in bytes. A larger one answers 413. The history is
   * skipped as a stream, so it takes time but little memory. Default: 50,000,000.
   */
  maxHistoryBytes?: number;
  /**
   * The maximum length of a user's message, in UTF-16 code units. A longer one answers 400. Default: 100,000.
   */
  maxInputLength?: number;
  /**
   * Limits how many runs each user may begin or continue, e.g. `new RateLimiterMemory({ points: 20, duration:
   * 60 })`. A refused request answers 429. Default: no limit.
   */
  rateLimit?: RateLimiter;
  /**
   * The maximum number of streams that a user may have open in this process. One more answers 429. Default:
   * 100.
   */
  maxStreams?: number;
  /**
   * Allows pages of other origins, e.g. `{ origins: ["https://app.example.com"] }`. Preflights are answered
   * without a call of `authorize`. Default: pages of other origins can read no response.
   */
  cors?: CorsOptions;
  /** Your own fields in the body of a request, e.g. what the user's screen shows. Default: none. */
  extra?: ExtraFields;
  /**
   * The protocol of the clients: the bodies of `POST /runs`, and the streams that answer them. Default:
   * `native()`, which {@link handler} describes.
   */
  dialect?: Dialect;
  /**
   * What native streams and the routes of `/sessions` show. Default: `public`.
   *
   * - `public`: leaves out what is written for the model (system prompt, tools, the text of knowledge, the
   *   result of `format`) and the messages of failures.
   * - `all`: shows the log as it is, for developers.
   * - `{ knowledge: ["goals"] }`: like `public`, with the text of knowledge from these sources.
   */
  expose?: Expose;
  /**
   * Called with every error that answers 500 or 503, or breaks a stream off, unless the client has gone or
   * this process is shutting down. Default: logs it with
   * `console.error` and a link to its page.
   */
  onError?(error: unknown, request: Request): void;
  /**
   * Called with warnings for the developer about data that clients send and the agent ignores, e.g. tools of
   * their own. Each text is passed once. Default: logs it with `console.warn`.
   */
  onWarning?(message: string): void;
}

/** The options with the agent's name in place of the agent. */
type Served = Omit<HandlerOptions, "agent"> & { agent: string };

/** The result of `authorize`: the user of a request, or how to refuse the request. */
export type Authorized = { userId: string } | Response | null;

/**
 * Serves one agent over HTTP: runs as server-sent events, sessions as JSON. Mount the returned function under
 * a path of its own. It takes a web `Request` and never throws. If a client disconnects, the run continues.
 *
 * - `POST /runs`: begins or resumes a run, and streams it until it waits for an answer or ends. The body is
 *   `{ sessionId?, clientMessageId? }` with either `input`, `answers` (`[{ callId, value or error, question?
 *   }]`) or `retry` (the id of the last run, if it failed). The response's header `x-pawl-session` has the
 *   session's id; decode it with `decodeURIComponent`
 * - `GET /sessions`: `{ sessions }`, the user's last 50 sessions, newest first, each with its `title`
 * - `GET /sessions/:id`: `{ session, messages, pending, runningTools, run, cursor }`
 * - `GET /sessions/:id/events?after=`: `{ events }`, the stored events
 * - `GET /sessions/:id/stream`: the events after `Last-Event-ID` or `?after=`, and then new ones as they
 *   happen. Accepts the id of any event that was sent, also in the middle of an answer. Resumes a run that
 *   no process is working on
 * - `POST /sessions/:id/stop`: asks the run to stop, and answers 202
 *
 * Dialects with `resume: "replay"` have two more routes, and bodies of their own:
 *
 * - `GET /runs/:id`: the session's messages in the client's format
 * - `GET /runs/:id/stream`: the agent's output since its last run began, or 204 if none exists
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { handler } from "@pawl/sse";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const coach = agent({
 *   name: "coach",
 *   model: scriptedModel([{ text: "Hello." }]),
 *   instructions: "Be kind.",
 * });
 * const serve = handler({
 *   runtime: runtime({ agents: [coach], store: memoryStore() }),
 *   agent: coach,
 *   authorize: (request) =>
 *     request.headers.get("authorization") === "Bearer ada" ? { userId: "ada" } : null,
 *   basePath: "/api/coach",
 * });
 *
 * const response = await serve(
 *   new Request("http://localhost/api/coach/runs", {
 *     method: "POST",
 *     headers: { authorization: "Bearer ada", "content-type": "application/json" },
 *     body: JSON.stringify({ input: "Good morning" }),
 *   }),
 * );
 * console.log(response.headers.get("x-pawl-session"), await response.text());
 * ```
 */
export function handler<Name extends string = string>({
  onError = (error) => console.error(`pawl: ${PawlError.describe(error)}`),
  onWarning = (message) => console.warn(`pawl: ${message}`),
  ...given
}: HandlerOptions<Name>): (request: Request) => Promise<Response> {
  const agent = agentName(given.runtime, given.agent);
  const options: Served = { ...given, agent, onError, onWarning: oncePerMessage(onWarning) };
  const { runtime, authorize, basePath = "", dialect = native(), rateLimit } = options;
  checkDialect(dialect, runtime, agent);
  checkExtra(options.extra);
  checkExpose(options.expose);
  const app = new Hono<Env>().basePath(basePath);
  app.notFound(({ req }) => errorResponse(404, "not_found", noRoute(req, basePath)));
  app.onError((error, { req }) => {
    const response = responseTo(error);
    if (response.status >= 500 && !isExpected(error, req.raw)) onError(error, req.raw);
    return response;
  });
  if (options.cors !== undefined) app.use("*", corsOf(options.cors));
  app.use("*", async (c, next) => {
    const caller = await authorize(c.req.raw);
    if (caller === null) throw refusal(401, "unauthorized", "Please sign in.");
    if (isResponse(caller)) return caller;
    c.set("userId", checkUser(caller));
    refuseNul(c.req.url);
    return await next();
  });
  const served = replaying(options, dialect);
  const streams = streamLimit(options.maxStreams ?? 100);
  const limited: Limited = (c, make) =>
    streams.within({ userId: c.get("userId"), method: c.req.raw.method }, make);
  const own = (c: Context<Env, string>) => namedSession(served, c.get("userId"), c.req.param("id") ?? "");

  route(app, "/runs", {
    POST: async (c) => {
      await withinRate(rateLimit, c.get("userId"));
      return await limited(c, (onClose) => startRun(options, c, onClose));
    },
  });
  if (dialect.resume === "replay") replayRoutes(app, served, limited);
  route(app, "/sessions", {
    GET: async (c) => json({ sessions: await listSessions(runtime.store, c.get("userId"), agent) }),
  });
  route(app, "/sessions/:id", {
    GET: async (c) => {
      const session = await own(c);
      let view = newView();
      for await (const event of readShown(runtime.store, session.id)) {
        view = reduceView(view, publicEvent(event, options.expose));
      }
      return json({ session, ...view });
    },
  });
  route(app, "/sessions/:id/events", {
    GET: async (c) => {
      const session = await own(c);
      const events: SessionEvent[] = [];
      for await (const event of readShown(runtime.store, session.id, {
        afterSeq: cursorOf(c.req.query("after")).afterSeq,
      })) {
        events.push(publicEvent(event, options.expose));
      }
      return json({ events });
    },
  });
  route(app, "/sessions/:id/stream", {
    GET: async (c) => {
      const { id } = await own(c);
      const from = cursorOf(c.req.header("last-event-id") ?? c.req.query("after"));
      return await limited(c, async (onClose) => {
        const about = { request: c.req.raw, from, headers: {}, onClose };
        return logStream(options, about, (signal) => runtime.follow(id, { ...from, signal, resume: true }));
      });
    },
  });
  route(app, "/sessions/:id/stop", {
    POST: async (c) => {
      await runtime.stop((await own(c)).id, { userId: c.get("userId") });
      return new Response(null, { status: 202 });
    },
  });
  return async (request) => await app.fetch(request);
}

/** Whether an error is no failure: this process is shutting down, or the client has gone. */
function isExpected(error: unknown, { signal }: Request): boolean {
  return PawlError.is(error, "draining") || signal.aborted;
}

function noRoute({ method, path }: { method: string; path: string }, basePath: string): string {
  return `No such route: ${method} ${path}. This handler serves ${basePath}/runs and ${basePath}/sessions. Check \`basePath\`.`;
}

async function startRun(options: Served, c: Context<Env>, onClose: () => void): Promise<Response> {
  const { runtime, agent, dialect = native() } = options;
  const served = replaying(options, dialect);
  const userId = c.get("userId");
  if (dialect.resume === "replay") return await tellNewRun(served, c.req.raw, userId, onClose);
  const { sessionId, begin } = await readRequest(served, c.req.raw, userId);
  const view = newView();
  const asked = { agent, userId, view, begin: begin(view), ...(sessionId !== undefined && { sessionId }) };
  const start = await started(runtime, asked);
  const from = { afterSeq: start.afterSeq };
  const about = {
    request: c.req.raw,
    from,
    headers: { ...dialect.headers, ...runHeaders(start) },
    onClose,
  };
  return logStream(options, about, (signal) =>
    // If a message replaces an answer, the end of the earlier run comes first. This end must not end the
    // stream.
    runtime.follow(start.sessionId, { afterSeq: start.afterSeq, signal, untilIdle: start, resume: true }),
  );
}

function replaying(options: Served, dialect: Dialect): Replaying {
  const { runtime, agent, extra, onError, onWarning, heartbeatMs = HEARTBEAT_MS } = options;
  const { maxBodyBytes = 1_000_000, maxHistoryBytes = 50_000_000, maxInputLength = 100_000 } = options;
  const limits = { maxBodyBytes, maxHistoryBytes, maxInputLength };
  const told = (error: unknown, request: Request) => onError?.(error, request);
  const warn = (message: string) => onWarning?.(message);
  return { runtime, agent, dialect, heartbeatMs, ...limits, extra, onError: told, warn };
}

function oncePerMessage(warn: (message: string) => void): (message: string) => void {
  const warned = new Set<string>();
  return (message) => {
    if (warned.has(message)) return;
    warned.add(message);
    warn(message);
  };
}
