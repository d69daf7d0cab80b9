import {
  PawlError,
  type Question,
  type RunStart,
  type Runtime,
  readShown,
  type Session,
  type SessionEvent,
  type StoredEvent,
} from "@pawl/core";
import type { ViewState } from "@pawl/core/view";
import { newView, waitsForTime } from "@pawl/core/view";
import type { Dialect, DialectRequest, Encoder, EncoderContext } from "../dialects/base/dialect.ts";
import { newFacts } from "../dialects/base/facts.ts";
import { type Followed, passedOn } from "../dialects/base/telling.ts";
import { type Admit, askedBy, type Caller, type Reader, readBy } from "../session/caller.ts";
import { givesCredentials } from "../session/gives-credentials.ts";
import { findSession, firstSessionId, openThread } from "../session/open-session.ts";
import { publicEvent } from "../session/public-event.ts";
import { lastExchange, type Serving, sessionNow, sessionUpTo } from "../session/session-then.ts";
import type { Follower } from "./followers.ts";
import { started } from "./started.ts";

/** The dependencies for serving a request. */
interface Served extends Serving {
  agent: string;
  dialect: Dialect;
}

/** What is needed to begin what a request asks for. */
interface Beginning extends Served {
  admit: Admit;
  follower: Follower;
}

/** A run, and the frames that stream it from its beginning. */
export interface ToldRun {
  /** Where the run began. Absent if the session never had a run. */
  start?: RunStart;
  /** Yields the frames of the stream. */
  frames(signal: AbortSignal): AsyncGenerator<string, void, undefined>;
}

/** Starts what a request begins, and returns the run to stream. */
export async function beginTold(
  { runtime, basePath, agent, dialect, admit, follower }: Beginning,
  caller: Caller,
  asked: DialectRequest,
): Promise<ToldRun> {
  const { userId } = caller;
  const reader = readBy(caller);
  const { sessionId, threadId } = asked;
  const named = { userId, agent, ...(sessionId && { sessionId }), ...(threadId && { threadId }) };
  const session = await findSession(runtime, named);
  const now = session === undefined ? newView() : (await sessionNow({ runtime, basePath }, session.id)).view;
  const begin = asked.begin(now);
  const encoder = asked.encoder ?? dialect.encoder;
  const id = session?.id ?? (await firstSessionId(named, begin));
  if (id !== undefined) follower.follows(id);
  if ("connect" in begin)
    return await connectTold({ runtime, basePath, agent, encoder, reader }, session, threadId ?? "");
  if (session === undefined && !("input" in begin)) {
    throw new PawlError("not_found", "There is no such session.");
  }
  await admit(begin, session ?? id);
  const { metadata } = "input" in begin ? begin : {};
  const own =
    session ??
    (threadId === undefined ? undefined : await openThread(runtime, { ...named, threadId }, metadata));
  if (own !== undefined) follower.follows(own.id);
  const begun = await started(runtime, {
    agent,
    dialect,
    from: askedBy(caller),
    begin,
    view: now,
    signal: follower.signal,
    ...(own && { sessionId: own.id }),
    ...(dialect.whenBusy && { whenBusy: dialect.whenBusy }),
  });
  follower.follows(begun.sessionId);
  return await told({ runtime, basePath }, { ...begun, reader }, now, (context) =>
    encoder({ ...context, agent, threadId: threadId ?? begun.sessionId }),
  );
}

/**
 * Returns the agent's output since its last run began, or `undefined` if the session never had a run. The run
 * may have ended. Everything is sent again, because the client's history may be older.
 */
export async function resumeTold(
  { runtime, basePath, agent, dialect }: Served,
  session: Session | undefined,
  threadId: string,
  reader: Reader,
): Promise<ToldRun | undefined> {
  const { encoder } = dialect;
  const told = await connectTold({ runtime, basePath, agent, encoder, reader }, session, threadId);
  return told.start === undefined && dialect.tellsIdle !== true ? undefined : told;
}

interface Connecting extends Serving {
  agent: string;
  encoder: Dialect["encoder"];
  reader: Reader;
}

async function connectTold(
  { runtime, basePath, agent, encoder, reader }: Connecting,
  session: Session | undefined,
  threadId: string,
): Promise<ToldRun> {
  const start = session && (await lastExchange(runtime, session.id));
  const back = (context: RunContext) => encoder({ ...context, agent, threadId, again: true });
  if (start === undefined) return { frames: (signal) => framesOf(back(nothing()), noEvents(), { signal }) };
  const { view } = await sessionNow({ runtime, basePath }, start.sessionId);
  return await told({ runtime, basePath }, { ...start, again: true, reader }, view, back);
}

/** Returns the encoder's context for a session without runs. */
function nothing(): RunContext {
  const runId = crypto.randomUUID();
  const past = { before: newView(), mode: null, facts: newFacts(), cursor: 0, isAnswered: () => false };
  return { sessionId: "", runId, ...past, idle: true };
}

async function* noEvents(): AsyncGenerator<SessionEvent, void, undefined> {}

type RunContext = Omit<EncoderContext, "agent" | "threadId">;

/** The place where the output of a run begins, and its reader. */
type Told = RunStart & Followed & { reader: Reader };

async function told(
  { runtime, basePath }: Serving,
  { reader, ...start }: Told,
  now: ViewState,
  encoder: (context: RunContext) => Encoder,
): Promise<ToldRun> {
  const { sessionId, runId, afterSeq, messageSeq } = start;
  const { view: before, mode, facts } = await sessionUpTo({ runtime, basePath }, sessionId, afterSeq);
  const isAnswered = ({ seq }: Question) => seq <= now.cursor && now.pending.every((one) => one.seq !== seq);
  const more = { isAnswered, cursor: now.cursor, ...(messageSeq !== undefined && { messageSeq }) };
  const context = { sessionId, runId, before, mode, facts, ...more };
  return {
    start,
    frames: (signal) =>
      framesOf(encoder(context), runEvents(runtime, { ...start, reader }, signal), { signal, basePath }),
  };
}

async function* framesOf(
  encoder: Encoder,
  events: AsyncIterable<SessionEvent>,
  { signal, basePath }: { signal: AbortSignal; basePath?: string | undefined },
): AsyncGenerator<string, void, undefined> {
  yield* together(encoder.begin());
  for await (const event of events) {
    yield* together(encoder.encode(publicEvent(event, { basePath })));
    if (encoder.over === true) break;
  }
  if (!signal.aborted) yield* together(encoder.end());
}

function* together(frames: readonly string[]): Generator<string> {
  if (frames.length > 0) yield frames.join("");
}

/**
 * Yields a run's events from its start until the run waits for an answer or ends. Does not stop at questions
 * that have been answered since.
 */
async function* runEvents(
  runtime: Runtime,
  { sessionId, runId, afterSeq, messageSeq, again = false, reader }: Told,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, void, undefined> {
  let awaited = { runId, again, ...(messageSeq !== undefined && { messageSeq }) };
  let cursor = afterSeq;
  let rests = false;
  let asksForCredentials = false;
  for await (const event of readShown(runtime.store, sessionId, { afterSeq })) {
    if (signal.aborted) return;
    yield event;
    cursor = event.seq;
    asksForCredentials = isForCredentials(event) ?? asksForCredentials;
    if (event.type === "run_suspended" && !waitsForTime(event.data))
      rests = event.data.run_id === awaited.runId;
    else if (event.type === "tool_answered") rests = false;
    else if (event.type === "run_ended" && event.data.run_id === awaited.runId) {
      const next = passedOn(awaited, event);
      if (next === undefined) return;
      awaited = { ...awaited, runId: next };
    }
  }
  // The run's own caller continues a run that waits for credentials, by reading it.
  if (rests && !(asksForCredentials && (await givesCredentials(runtime, sessionId, reader)))) return;
  const untilIdle = again ? true : awaited;
  yield* runtime.follow(sessionId, { afterSeq: cursor, signal, untilIdle, resume: true, ...reader });
}

/** Returns whether the last question asks for credentials; `undefined` for an event that is no question. */
function isForCredentials(event: StoredEvent): boolean | undefined {
  return event.type === "tool_suspended" ? event.data.before === "resume" : undefined;
}
