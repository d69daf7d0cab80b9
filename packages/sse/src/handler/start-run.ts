import { PawlError } from "@pawl/core";
import { newView } from "@pawl/core/view";
import type { Context } from "hono";
import type { Begin } from "../dialects/base/dialect.ts";
import { native } from "../dialects/native.ts";
import { type Admit, askedBy, OwnResponse, readBy, wantedBy } from "../session/caller.ts";
import { findSession, firstSessionId } from "../session/open-session.ts";
import { isResponse, unsent } from "../session/own-session.ts";
import { isStored } from "../session/stored-before.ts";
import { runHeaders } from "../stream/event-stream.ts";
import { logStream } from "../stream/log-stream.ts";
import { started } from "../stream/started.ts";
import { readRequest } from "./extra-fields.ts";
import type { Served } from "./handler-options.ts";
import { type Replaying, tellNewRun } from "./replay-routes.ts";
import type { Env, Streaming } from "./routes.ts";

/** Answers `POST /runs`: begins or continues a run, and streams it until it waits for an answer or ends. */
export async function startRun(
  options: Served,
  replaying: Replaying,
  c: Context<Env>,
  streaming: Streaming,
): Promise<Response> {
  const { runtime, agent, dialect = native() } = options;
  const request = c.req.raw;
  const caller = c.get("caller");
  const { userId } = caller;
  const served = { ...replaying, admit: admission(options, c) };
  if (dialect.resume === "replay") return await tellNewRun(served, request, caller, streaming);
  const { follower } = streaming;
  const { sessionId, begin } = await readRequest(served, request, userId);
  const name = { userId, agent, ...(sessionId !== undefined && { sessionId }) };
  const view = newView();
  const begins = await begin(view);
  const isChecked = isCheckedByRun(options, begins);
  const session = isChecked ? undefined : await findSession(runtime, name);
  const id = sessionId ?? (await firstSessionId(name, begins));
  if (id !== undefined) follower.follows(id);
  await served.admit(begins, session ?? id);
  const asked = { agent, dialect, view, begin: begins, from: askedBy(caller), signal: follower.signal };
  const checked = isChecked ? sessionId : session?.id;
  const start = await started(runtime, {
    ...asked,
    ...(checked !== undefined && { sessionId: checked }),
  }).catch(async (error: unknown) => {
    // The same refusal as on other routes: it names no agents.
    if (isChecked && PawlError.is(error, "not_found")) await findSession(runtime, name);
    throw error;
  });
  follower.follows(start.sessionId);
  const from = { afterSeq: start.afterSeq };
  const headers = { ...dialect.headers, ...runHeaders(start) };
  return logStream(options, { ...streaming, request, from, headers }, (signal) =>
    // If a message replaces an answer, the end of the earlier run comes first. This end must not end the
    // stream.
    runtime.follow(start.sessionId, {
      ...from,
      ...readBy(caller),
      signal,
      untilIdle: start,
      resume: true,
    }),
  );
}

/**
 * Returns whether nothing but the run needs the session. The runtime checks its owner when it opens it, so
 * reading it before would be one more trip to the store.
 */
function isCheckedByRun({ admit }: Served, begin: Begin): boolean {
  const beginsRun = "input" in begin || "answers" in begin || "retry" in begin;
  return beginsRun && admit === undefined;
}

/**
 * Returns the function that asks `admit` about what a request begins. A message or a retry that is stored
 * begins nothing: the request joins its run.
 */
function admission({ admit, runtime }: Served, c: Context<Env>): Admit {
  return async (begin, known, threadId) => {
    if (admit === undefined) return;
    const session = typeof known === "string" ? await runtime.store.sessions.get(known) : known;
    const wanted = wantedBy(begin, session?.id, threadId);
    if (wanted === undefined || (await isStored(runtime, session, begin))) return;
    const refused = await admit(c.req.raw, c.get("caller"), wanted);
    if (refused === undefined) return;
    if (isResponse(refused)) throw new OwnResponse(unsent(refused, "admit()"));
    const given = refused === null ? "null" : `type ${typeof refused}`;
    throw new PawlError("config", `admit() must return a Response or undefined; got ${given}.`);
  };
}
