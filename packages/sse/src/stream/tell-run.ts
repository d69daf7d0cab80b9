import { PawlError, type Question, type RunStart, type Session, type SessionEvent } from "@pawl/core";
import { newView } from "@pawl/core/view";
import type { Dialect, DialectRequest, Encoder, EncoderContext } from "../dialects/base/dialect.ts";
import { newFacts } from "../dialects/base/facts.ts";
import type { WireError } from "../request/wire-error.ts";
import { type Admit, askedBy, type Caller, type Reader, readBy } from "../session/caller.ts";
import { beginInThread, findSession, firstSessionId } from "../session/open-session.ts";
import { publicEvent, type Shows } from "../session/public-event.ts";
import { type Replayed, sessionBefore, wholeOf } from "../session/session-reads.ts";
import type { Serving, WholeSession } from "../session/session-then.ts";
import type { Follower } from "./followers.ts";
import { runEvents, type Told } from "./run-events.ts";
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
  /** Aborts when the client has disconnected, on platforms that report it. */
  signal: AbortSignal;
}

/** A run, and the frames that stream it from its beginning. */
export interface ToldRun {
  /** Where the run began. Absent if the session never had a run. */
  start?: RunStart;
  /** Yields the frames of the stream. */
  frames(signal: AbortSignal): AsyncGenerator<string, void, undefined>;
  /** Returns the last text of a stream whose client is refused, if the dialect has one. */
  refused(error: WireError["error"]): string | undefined;
}

/** Starts what a request begins, and returns the run to stream. */
export async function beginTold(
  { runtime, basePath, parts, agent, dialect, admit, follower, signal }: Beginning,
  caller: Caller,
  asked: DialectRequest,
): Promise<ToldRun> {
  const { userId } = caller;
  const reader = readBy(caller);
  const { sessionId, threadId } = asked;
  const named = { userId, agent, ...(sessionId && { sessionId }), ...(threadId && { threadId }) };
  const session = await findSession(runtime, named);
  const served = { runtime, basePath, parts, userId, signal };
  const whole = await wholeOf(served, session);
  const now = whole.now.view;
  const begin = await asked.begin(now);
  const encoder = asked.encoder ?? dialect.encoder;
  const id = session?.id ?? (await firstSessionId(named, begin));
  if (id !== undefined) follower.follows(id);
  if ("connect" in begin)
    return await connectTold({ ...served, agent, encoder, reader }, whole, threadId ?? "");
  if (session === undefined && !("input" in begin)) {
    throw new PawlError("not_found", "There is no such session.");
  }
  await admit(begin, session ?? id, threadId);
  const begins = async (own: string | undefined) => {
    if (own !== undefined) follower.follows(own);
    return await started(runtime, {
      agent,
      dialect,
      from: askedBy(caller),
      begin,
      view: now,
      signal: follower.signal,
      ...(own !== undefined && { sessionId: own }),
      ...(dialect.whenBusy && { whenBusy: dialect.whenBusy }),
    });
  };
  const begun =
    session === undefined && threadId !== undefined
      ? await beginInThread(runtime, { ...named, threadId }, begin, begins)
      : await begins(session?.id);
  follower.follows(begun.sessionId);
  return await told(served, { ...begun, reader }, whole, (context) =>
    encoder({ ...context, agent, threadId: threadId ?? begun.sessionId }),
  );
}

/**
 * Returns the agent's output since its last run began, or `undefined` if the session never had a run. The run
 * may have ended. Everything is sent again, because the client's history may be older.
 */
export async function resumeTold(
  { runtime, basePath, parts, agent, dialect, signal }: Served & Pick<Replayed, "signal">,
  session: Session | undefined,
  threadId: string,
  caller: Caller,
): Promise<ToldRun | undefined> {
  const { encoder } = dialect;
  const served = { runtime, basePath, parts, userId: caller.userId, signal };
  const whole = await wholeOf(served, session);
  const told = await connectTold({ ...served, agent, encoder, reader: readBy(caller) }, whole, threadId);
  return told.start === undefined && dialect.tellsIdle !== true ? undefined : told;
}

interface Connecting extends Replayed {
  agent: string;
  encoder: Dialect["encoder"];
  reader: Reader;
}

async function connectTold(
  { agent, encoder, reader, ...served }: Connecting,
  whole: WholeSession,
  threadId: string,
): Promise<ToldRun> {
  const back = (context: RunContext) => encoder({ ...context, agent, threadId, again: true });
  if (whole.last === undefined) return toldBy(back(nothing()), noEvents);
  return await told(served, { ...whole.last.start, again: true, reader }, whole, back);
}

/** Returns the encoder's context for a session without runs. */
function nothing(): RunContext {
  const runId = crypto.randomUUID();
  const past = { before: newView(), mode: null, facts: newFacts(), cursor: 0, isAnswered: () => false };
  return { sessionId: "", runId, ...past, idle: true };
}

async function* noEvents(): AsyncGenerator<SessionEvent, void, undefined> {}

type RunContext = Omit<EncoderContext, "agent" | "threadId">;

async function told(
  served: Replayed,
  { reader, ...start }: Told,
  whole: WholeSession,
  encoder: (context: RunContext) => Encoder,
): Promise<ToldRun> {
  const { runtime, basePath, parts } = served;
  const { sessionId, runId, messageSeq } = start;
  // Not the view itself, which a stream would keep in memory for as long as it follows.
  const { cursor, pending } = whole.now.view;
  const { view: before, mode, facts, closed = [] } = await sessionBefore(served, start, whole);
  const isAnswered = ({ seq }: Question) => seq <= cursor && pending.every((one) => one.seq !== seq);
  const more = { isAnswered, cursor, ...(messageSeq !== undefined && { messageSeq }) };
  const context = { sessionId, runId, before, mode, facts, closed, ...more };
  const events = (signal: AbortSignal) => runEvents(runtime, { ...start, reader }, signal);
  return { start, ...toldBy(encoder(context), events, { basePath, parts }) };
}

function toldBy(
  encoder: Encoder,
  events: (signal: AbortSignal) => AsyncIterable<SessionEvent>,
  shows: Shows = {},
): ToldRun {
  return {
    frames: (signal) => framesOf(encoder, events(signal), signal, shows),
    refused: (error) => encoder.refused?.(error).join(""),
  };
}

async function* framesOf(
  encoder: Encoder,
  events: AsyncIterable<SessionEvent>,
  signal: AbortSignal,
  shows: Shows,
): AsyncGenerator<string, void, undefined> {
  yield* together(encoder.begin());
  for await (const event of events) {
    yield* together(encoder.encode(publicEvent(event, shows)));
    if (encoder.over === true) break;
  }
  if (!signal.aborted) yield* together(encoder.end());
}

function* together(frames: readonly string[]): Generator<string> {
  if (frames.length > 0) yield frames.join("");
}
