import { PawlError, type Runtime, type Session } from "@pawl/core";
import type { Hono } from "hono";
import type { Dialect } from "../dialects/base/dialect.ts";
import { responseTo, type WireError } from "../request/wire-error.ts";
import { type Admit, type Caller, OwnResponse } from "../session/caller.ts";
import { findSession } from "../session/open-session.ts";
import { emptySession, factsOf, wholeSession } from "../session/session-then.ts";
import { sessionPage } from "../session/session-view.ts";
import { isStored } from "../session/stored-before.ts";
import { eventStream, runHeaders, STREAM_HEADERS } from "../stream/event-stream.ts";
import { readJsonResponse } from "../stream/read-response.ts";
import { lifeMsOf } from "../stream/stream-life.ts";
import { beginTold, resumeTold, type ToldRun } from "../stream/tell-run.ts";
import { type ExtraFields, readRequest } from "./extra-fields.ts";
import type { Served } from "./handler-options.ts";
import { signedOut } from "./identified.ts";
import { pageOf } from "./page-query.ts";
import { type RateLimiter, withinReadRate } from "./rate-limit.ts";
import { type Env, json, type Limited, readFor, route, type Streaming } from "./routes.ts";

/** The dependencies of the routes of a dialect with `resume: "replay"`. */
export interface Replaying {
  runtime: Runtime;
  agent: string;
  basePath?: string | undefined;
  dialect: Dialect;
  authorize: Served["authorize"];
  heartbeatMs: number;
  reauthorizeMs: number | undefined;
  maxBodyBytes: number;
  maxHistoryBytes: number;
  maxInputLength: number;
  rateLimitReads?: RateLimiter | undefined;
  extra?: ExtraFields | undefined;
  onError(error: unknown, request: Request): void;
  /** Called with a warning for each part of a request that is ignored. */
  warn(message: string): void;
}

/**
 * Answers `POST /runs` in a dialect with `resume: "replay"`: begins or resumes a run, and streams it until it
 * waits for an answer or ends.
 */
export async function tellNewRun(
  served: Replaying & { admit: Admit },
  request: Request,
  caller: Caller,
  streaming: Streaming,
): Promise<Response> {
  const { dialect } = served;
  try {
    const asked = await readRequest(served, request, caller.userId);
    const { follower } = streaming;
    const run = await beginTold({ ...served, follower, signal: request.signal }, caller, asked);
    return toldResponse(served, { request, caller }, run, streaming);
  } catch (error) {
    streaming.onClose("refused");
    return await refusedIn(dialect, error);
  }
}

/**
 * Adds the routes of a dialect with `resume: "replay"`. A name without a session is a chat that is new.
 *
 * - `GET /runs/:id`: the session's messages in the client's format; pages as in `GET /sessions/:id`
 * - `GET /runs/:id/stream`: the agent's output since its last run began, until the run settles. Answers 204
 *   if none exists
 * - `POST /runs/:id/stop`: asks the run to stop, and answers 202. With `?message=<id>`: answers 404 until
 *   that message is stored
 */
export function replayRoutes(app: Hono<Env>, served: Replaying, limited: Limited): void {
  const { dialect } = served;
  route(app, "/runs/:id", {
    GET: async (c) => {
      const id = c.req.param("id") ?? "";
      const page = pageOf(c.req.query());
      await withinReadRate(served.rateLimitReads, c.get("userId"));
      const found = await findNamed(served, c.get("userId"), id);
      if (found === undefined && dialect.history !== undefined) {
        const { view, facts } = emptySession();
        return json({ ...dialect.history(view, id, facts), ...(page && { before: null }) });
      }
      const session = known(found);
      return await readJsonResponse(readFor(c, served.runtime, session, page), c.req.raw, async () => {
        if (page === undefined) {
          const { view, facts } = (await wholeSession(served, session.id)).now;
          return dialect.history?.(view, id, facts) ?? {};
        }
        const { view, before, events } = await sessionPage(served.runtime.store, session, served, page);
        return { ...dialect.history?.(view, id, await factsOf(events)), before };
      });
    },
  });
  route(app, "/runs/:id/stream", {
    GET: async (c) => {
      const id = c.req.param("id") ?? "";
      await withinReadRate(served.rateLimitReads, c.get("userId"));
      const session = await findNamed(served, c.get("userId"), id);
      const { signal } = c.req.raw;
      const run = await resumeTold({ ...served, signal }, session, id, c.get("caller"));
      if (run === undefined) return new Response(null, { status: 204 });
      return await limited(c, async (streaming) => {
        if (session !== undefined) streaming.follower.follows(session.id);
        return toldResponse(served, { request: c.req.raw, caller: c.get("caller") }, run, streaming);
      });
    },
  });
  stopRoute(app, served);
}

/** Adds the route that stops a run whose message may still be on its way to the server. */
function stopRoute(app: Hono<Env>, served: Replaying): void {
  route(app, "/runs/:id/stop", {
    POST: async (c) => {
      const userId = c.get("userId");
      const session = await namedSession(served, userId, c.req.param("id") ?? "");
      const clientMessageId = c.req.query("message");
      const message = { input: "", ...(clientMessageId !== undefined && { clientMessageId }) };
      if (clientMessageId !== undefined && !(await isStored(served.runtime, session, message)))
        throw new PawlError("not_found", "There is no such message.");
      await served.runtime.stop(session.id, { userId });
      return new Response(null, { status: 202 });
    },
  });
}

/**
 * Returns the session that a path names by its id. In a dialect with `resume: "replay"`, a client's own name
 * for the session is accepted too.
 *
 * @throws PawlError `not_found` if this user has no such session with this agent.
 */
export async function namedSession(served: Replaying, userId: string, id: string): Promise<Session> {
  return known(await findNamed(served, userId, id));
}

function known(session: Session | undefined): Session {
  if (session === undefined) throw new PawlError("not_found", "There is no such session.");
  return session;
}

async function findNamed({ runtime, agent, dialect }: Replaying, userId: string, id: string) {
  const name = dialect.resume === "replay" ? { threadId: id } : { sessionId: id };
  return await findSession(runtime, { userId, agent, ...name });
}

function toldResponse(
  served: Replaying,
  { request, caller }: { request: Request; caller: Caller },
  { start, frames, refused }: ToldRun,
  { onClose }: Streaming,
): Response {
  const { dialect, authorize, heartbeatMs, reauthorizeMs, onError } = served;
  // These clients cannot continue in the middle of a stream, so it goes on while they are authorized.
  const renew = async () => {
    const error = await signedOut(authorize, request, caller);
    return error === undefined ? true : (refused(error) ?? false);
  };
  const body = eventStream(frames, {
    heartbeatMs,
    signal: request.signal,
    onClose,
    write: (text) => text,
    life: { lifeMs: lifeMsOf(reauthorizeMs), renew },
    // Clients other than Pawl's take a clean end without a last event as a success.
    mayEnd: false,
    onError: (error) => {
      if (!PawlError.is(error, "draining")) onError(error, request);
    },
  });
  return new Response(body, {
    headers: { ...STREAM_HEADERS, ...dialect.headers, ...(start && runHeaders(start)) },
  });
}

/** Returns a refusal in the dialect's own form, if the dialect has one. Rethrows the error otherwise. */
async function refusedIn({ refused, headers }: Dialect, error: unknown): Promise<Response> {
  const response = responseTo(error);
  if (error instanceof OwnResponse) return response;
  if (refused === undefined || ![400, 409, 422].includes(response.status)) throw error;
  const { error: told } = (await response.json()) as WireError;
  return new Response(refused(told).join(""), { headers: { ...STREAM_HEADERS, ...headers } });
}
