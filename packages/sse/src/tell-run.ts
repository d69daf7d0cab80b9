import {
  newView,
  PawlError,
  type Run,
  type RunStart,
  type Runtime,
  readShown,
  reduceView,
  type Session,
  type SessionEvent,
  type ViewState,
} from "@pawl/core";
import type { Begin, Dialect, DialectRequest, Encoder, EncoderContext } from "./dialects/dialect.ts";
import { passedOn } from "./dialects/telling.ts";
import { findSession, openThread } from "./open-session.ts";
import { publicEvent } from "./public-event.ts";

/** Who asks whom. */
interface Served {
  runtime: Runtime;
  agent: string;
  dialect: Dialect;
}

/** A run that is to be told from its beginning. */
export interface ToldRun {
  start: RunStart;
  frames(signal: AbortSignal): AsyncGenerator<string, void, undefined>;
}

/** Begins what a request asks for, in a session that may be known by the client's name for it. */
export async function beginTold(
  { runtime, agent, dialect }: Served,
  userId: string,
  asked: DialectRequest,
): Promise<ToldRun> {
  const { sessionId, threadId } = asked;
  const named = { userId, agent, ...(sessionId && { sessionId }), ...(threadId && { threadId }) };
  const session = await findSession(runtime, named);
  const now = session === undefined ? newView() : await viewOf(runtime, session.id);
  const begin = asked.begin(now);
  if (session === undefined && !("input" in begin)) {
    throw new PawlError("not_found", "There is no such session.");
  }
  const { metadata } = "input" in begin ? begin : {};
  const own =
    session ??
    (threadId === undefined ? undefined : await openThread(runtime, { ...named, threadId }, metadata));
  const start = await started(runtime, {
    agent,
    userId,
    begin,
    view: now,
    ...(own && { sessionId: own.id }),
  });
  const encoder = asked.encoder ?? dialect.encoder;
  return await told(runtime, start, (context) =>
    encoder({ ...context, agent, threadId: threadId ?? start.sessionId }),
  );
}

/** The run that is at work in a session, told from its beginning; `undefined` while none is. */
export async function resumeTold(
  { runtime, agent, dialect }: Served,
  session: Session,
  threadId: string,
): Promise<ToldRun | undefined> {
  const { run } = await viewOf(runtime, session.id);
  if (run === undefined || !run.open || session.openRun === null) return undefined;
  const start = { sessionId: session.id, runId: run.id, afterSeq: run.seq - 1 };
  // The message that is being written may be the run's second one, behind a message that it has taken up.
  const messageSeq = run.since && (await takenUpBy(runtime, session.id, run.since));
  const taken = { ...start, ...(messageSeq !== undefined && { messageSeq }) };
  return await told(runtime, taken, (context) =>
    dialect.encoder({ ...context, agent, threadId, again: true }),
  );
}

async function takenUpBy(runtime: Runtime, sessionId: string, since: number): Promise<number | undefined> {
  let last: number | undefined;
  for await (const event of runtime.store.read(sessionId, { types: ["user_message"] })) {
    if (event.seq < since) last = event.seq;
  }
  return last;
}

interface Wanted {
  agent: string;
  userId: string;
  sessionId?: string;
  begin: Begin;
  view: ViewState;
}

async function started(runtime: Runtime, wanted: Wanted): Promise<RunStart> {
  const { agent, userId, sessionId = "", begin, view } = wanted;
  if ("abandon" in begin) {
    await runtime.stop(sessionId, { userId });
    return { sessionId, runId: view.run?.id ?? "", afterSeq: view.cursor };
  }
  const run: Run = runtime.run(agent, { userId, ...(sessionId && { sessionId }), ...begin });
  return await run.started;
}

async function told(
  runtime: Runtime,
  start: RunStart,
  encoder: (context: Omit<EncoderContext, "agent" | "threadId">) => Encoder,
): Promise<ToldRun> {
  const { sessionId, runId, afterSeq, messageSeq } = start;
  const { view: before, mode } = await sessionUpTo(runtime, sessionId, afterSeq);
  const context = { sessionId, runId, before, mode, ...(messageSeq !== undefined && { messageSeq }) };
  return { start, frames: (signal) => framesOf(encoder(context), runEvents(runtime, start, signal), signal) };
}

async function* framesOf(
  encoder: Encoder,
  events: AsyncIterable<SessionEvent>,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  yield* together(encoder.begin());
  for await (const event of events) {
    yield* together(encoder.encode(publicEvent(event)));
    if (encoder.over === true) break;
  }
  if (!signal.aborted) yield* together(encoder.end());
}

function* together(frames: readonly string[]): Generator<string> {
  if (frames.length > 0) yield frames.join("");
}

/** A run's events from its beginning until it comes to rest, past every question that has been answered meanwhile. */
async function* runEvents(
  runtime: Runtime,
  { sessionId, runId, afterSeq, messageSeq }: RunStart,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, void, undefined> {
  let awaited = { runId, ...(messageSeq !== undefined && { messageSeq }) };
  let cursor = afterSeq;
  let rests = false;
  for await (const event of readShown(runtime.store, sessionId, { afterSeq })) {
    if (signal.aborted) return;
    yield event;
    cursor = event.seq;
    if (event.type === "run_suspended") rests = event.data.run_id === awaited.runId;
    else if (event.type === "tool_answered") rests = false;
    else if (event.type === "run_ended" && event.data.run_id === awaited.runId) {
      const next = passedOn(awaited, event);
      if (next === undefined) return;
      awaited = { ...awaited, runId: next };
    }
  }
  if (!rests) yield* runtime.follow(sessionId, { afterSeq: cursor, signal, untilIdle: awaited });
}

/** A session as its user sees it now. */
export async function viewOf(runtime: Runtime, sessionId: string): Promise<ViewState> {
  return (await sessionUpTo(runtime, sessionId, Infinity)).view;
}

async function sessionUpTo(
  runtime: Runtime,
  sessionId: string,
  uptoSeq: number,
): Promise<{ view: ViewState; mode: string | null }> {
  let view = newView();
  let mode: string | null = null;
  if (uptoSeq === 0) return { view, mode };
  for await (const event of readShown(runtime.store, sessionId)) {
    if (event.seq > uptoSeq) break;
    view = reduceView(view, publicEvent(event));
    if (event.type === "tool_result" && event.data.mode !== undefined) mode = event.data.mode;
  }
  return { view, mode };
}
