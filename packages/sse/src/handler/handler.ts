import { PawlError } from "@pawl/core";
import { reporter } from "@pawl/core/tools";
import { type Context, Hono } from "hono";
import type { Dialect } from "../dialects/base/dialect.ts";
import { native } from "../dialects/native.ts";
import { readBy } from "../session/caller.ts";
import { listSessions } from "../session/list-sessions.ts";
import { addEvents } from "../session/session-events.ts";
import { sessionView } from "../session/session-view.ts";
import { HEARTBEAT_MS } from "../stream/event-stream.ts";
import { followers } from "../stream/followers.ts";
import { cursorOf, logStream } from "../stream/log-stream.ts";
import { readJsonResponse, readResponse } from "../stream/read-response.ts";
import { streamLimit } from "../stream/stream-limit.ts";
import { answerErrors } from "./answer-errors.ts";
import { agentName } from "./check-dialect.ts";
import { checkHandler } from "./check-handler.ts";
import { corsOf } from "./cors.ts";
import { fileRoutes } from "./file-routes.ts";
import type { HandlerOptions, Served } from "./handler-options.ts";
import { errorsOnly, identified } from "./identified.ts";
import { pageOf } from "./page-query.ts";
import { withinRate, withinReadRate } from "./rate-limit.ts";
import { namedSession, type Replaying, replayRoutes } from "./replay-routes.ts";
import { type Env, json, type Limited, readFor, route, type Streaming } from "./routes.ts";
import { startRun } from "./start-run.ts";

/**
 * Serves one agent over HTTP: runs as server-sent events, sessions as JSON. Mount the returned function under
 * a separate path. It takes a web `Request` and never throws. If a client disconnects, the run continues,
 * unless `onClientGone` is `stop`.
 *
 * - `POST /runs`: begins or resumes a run, and streams it until it waits for an answer or ends. The body is
 *   `{ sessionId?, clientMessageId? }` with either `input`, `answers` (`[{ callId, value or error, question?
 *   }]`) or `retry` (the id of the last run, if it failed). The response's header `x-pawl-session` has the
 *   session's id; decode it with `decodeURIComponent`
 * - `GET /sessions`: `{ sessions }`, the user's last 50 sessions, newest first, each with its `title`
 * - `GET /sessions/:id`: `{ session, messages, pending, runningTools, run, cursor }`. With `?last=50` (1 to
 *   200): the last runs with at least 50 messages, and `before`. With `?last=50&before=<before>`: `{ session,
 *   messages, cursor, before }`, the messages before those. `before` is `null` if there are no older ones
 * - `GET /sessions/:id/events?after=`: `{ events }`, the stored events
 * - `GET /sessions/:id/stream`: the events after `Last-Event-ID` or `?after=`, and then new ones as they
 *   happen. Accepts the id of any event that was sent, also in the middle of an answer. Resumes a run that no
 *   process is working on
 * - `POST /sessions/:id/stop`: asks the run to stop, and answers 202
 * - `POST /files`: stores the body, one file, for a message: `{ id, mediaType, bytes, width?, height?, pages?
 *   }`. Send it with `content-type: application/octet-stream`. Requires `runtime({ files })`
 * - `GET /files/:id`: the bytes of one of the user's files
 *
 * Dialects with `resume: "replay"` have their own request bodies, and three more routes. The id may be a name
 * that the client has made up, also a new one:
 *
 * - `GET /runs/:id`: the session's messages in the client's format, also in pages, with `before`
 * - `GET /runs/:id/stream`: the agent's output since its last run began, or 204 if none exists
 * - `POST /runs/:id/stop`: asks the run to stop, and answers 202. With `?message=<id>`: 404 until that
 *   message is stored
 *
 * @throws PawlError `config` for unknown, missing and invalid options, and for an agent that the runtime does
 *   not have.
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
export function handler<Name extends string = string>(
  options: HandlerOptions<Name>,
): (request: Request) => Promise<Response> {
  checkHandler(options);
  const {
    onError = (error) => console.error(`pawl: ${PawlError.describe(error)}`),
    onWarning = (message) => console.warn(`pawl: ${PawlError.describe(message)}`),
  } = options;
  const agent = agentName(options.runtime, options.agent);
  return checkedHandler({
    ...options,
    agent,
    onError: reporter("onError", onError),
    onWarning: oncePerMessage(reporter("onWarning", onWarning)),
  });
}

function checkedHandler(
  options: Served & Required<Pick<Served, "onError">>,
): (request: Request) => Promise<Response> {
  const { runtime, agent, authorize, basePath = "", dialect = native(), rateLimit } = options;
  const { rateLimitReads } = options;
  // CORS on every path, so that a page can read the 404 that names a wrong `basePath`.
  const app = new Hono<Env>().use("*", corsOf(options.cors)).basePath(basePath);
  answerErrors(app, options);
  app.use("*", errorsOnly, identified(authorize));
  const served = replaying(options, dialect);
  const limited = streaming(options);
  const own = (c: Context<Env, string>) => namedSession(served, c.get("userId"), c.req.param("id") ?? "");

  route(app, "/runs", {
    POST: async (c) => {
      await withinRate(rateLimit, c.get("userId"));
      return await limited(c, (one) => startRun(options, served, c, one));
    },
  });
  fileRoutes(app, { runtime, rateLimit, maxFileBytes: options.maxFileBytes ?? 20_000_000 });
  if (dialect.resume === "replay") replayRoutes(app, served, limited);
  route(app, "/sessions", {
    GET: async (c) => json({ sessions: await listSessions(runtime.store, c.get("userId"), agent) }),
  });
  route(app, "/sessions/:id", {
    GET: async (c) => {
      const page = pageOf(c.req.query());
      await withinReadRate(rateLimitReads, c.get("userId"));
      const session = await own(c);
      return await readJsonResponse(readFor(c, runtime, session, page), c.req.raw, async () => ({
        session,
        ...(await sessionView(runtime.store, session, options, page)),
      }));
    },
  });
  route(app, "/sessions/:id/events", {
    GET: async (c) => {
      await withinReadRate(rateLimitReads, c.get("userId"));
      const session = await own(c);
      const { afterSeq } = cursorOf(c.req.query("after"));
      const asked = readFor(c, runtime, session, afterSeq > 0 || undefined);
      return await readResponse(asked, c.req.raw, (json, place) =>
        addEvents(json, place, { store: runtime.store, id: session.id, afterSeq, shown: options }),
      );
    },
  });
  route(app, "/sessions/:id/stream", {
    GET: async (c) => {
      const { id } = await own(c);
      const from = cursorOf(c.req.header("last-event-id") ?? c.req.query("after"));
      return await limited(c, async (one) => {
        one.follower.follows(id);
        return logStream(options, { ...one, request: c.req.raw, from, headers: {} }, (signal) =>
          runtime.follow(id, { ...from, ...readBy(c.get("caller")), signal, resume: true }),
        );
      });
    },
  });
  route(app, "/sessions/:id/stop", {
    POST: async (c) => {
      await runtime.stop((await own(c)).id, { userId: c.get("userId") });
      return new Response(null, { status: 202 });
    },
  });
  return async (request) => {
    if (typeof Object(request).headers?.get === "function") return await app.fetch(request);
    const message =
      "handler() takes web requests. In Node or Express, wrap it once: nodeListener(serve) of @pawl/sse/node.";
    throw new PawlError("config", message);
  };
}

/** Returns the function that counts streams: against the user's limit, and as followers of their sessions. */
function streaming({ maxStreams = 100, onClientGone }: Served): Limited {
  const { within } = streamLimit(maxStreams);
  const counted = followers(onClientGone);
  return async (c, make) => {
    const { method, signal } = c.req.raw;
    return await within({ userId: c.get("userId"), method }, async (close) => {
      // `admit` may hang, or the client disconnect before the response has begun.
      signal.addEventListener("abort", close, { once: true });
      const follower = counted.open(c.get("userId"));
      const onClose: Streaming["onClose"] = (how) => {
        follower.left(how);
        close();
      };
      try {
        const response = await make({ follower, onClose });
        // The response to HEAD has no body, so nobody reads it.
        if (method === "HEAD") follower.left("refused");
        return response;
      } catch (error) {
        follower.left("refused");
        throw error;
      }
    });
  };
}

function replaying(options: Served, dialect: Dialect): Replaying {
  const { runtime, agent, authorize, basePath, extra, onError, onWarning } = options;
  const { rateLimitReads, reauthorizeMs, heartbeatMs = HEARTBEAT_MS } = options;
  const { maxBodyBytes = 1_000_000, maxHistoryBytes = 50_000_000, maxInputLength = 100_000 } = options;
  const limits = { maxBodyBytes, maxHistoryBytes, maxInputLength };
  const told = (error: unknown, request: Request) => onError?.(error, request);
  const warn = (message: string) => onWarning?.(message);
  return {
    runtime,
    agent,
    basePath,
    dialect,
    authorize,
    heartbeatMs,
    reauthorizeMs,
    ...limits,
    rateLimitReads,
    extra,
    onError: told,
    warn,
  };
}

function oncePerMessage(warn: (message: string) => void): (message: string) => void {
  const warned = new Set<string>();
  return (message) => {
    if (warned.has(message)) return;
    warned.add(message);
    warn(message);
  };
}
