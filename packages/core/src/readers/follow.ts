import { counting } from "../base/counted.ts";
import { PawlError } from "../base/errors.ts";
import { oneByOne } from "../base/one-by-one.ts";
import type { Switch } from "../base/switch.ts";
import type { StoredEvent } from "../log/event.ts";
import type { EventStore } from "../log/event-store.ts";
import { type AwaitedRun, stillAwaited } from "../log/handover.ts";
import type { SessionEvent } from "../log/live-event.ts";
import type { LiveTail } from "../log/live-tail.ts";
import { redactedSince } from "../log/redacted.ts";
import { around } from "./around.ts";
import {
  adoptAttempt,
  type Cursor,
  newLiveEvents,
  newReader,
  type ReaderState,
  readerAfter,
} from "./cursor.ts";
import { doorbell } from "./doorbell.ts";
import { restOfAnswer } from "./rest-of-answer.ts";
import type { SessionWatches } from "./session-watch.ts";
import { recentAfter, storedReads } from "./stored-events.ts";
import { agentsBelow } from "./sub-agent-text.ts";

/** The parts of a runtime that readers use. */
interface Source {
  store: EventStore;
  tail: LiveTail;
  /** State shared with the session's other readers in this process. */
  watches: SessionWatches;
  /** A switch that is turned on when this process stops serving readers. */
  over: Switch;
  /** Reads in progress. */
  reads: Set<Promise<unknown>>;
}

/**
 * The options of a reader: where it starts and when it ends. Text before the position `live` is not sent
 * again.
 */
export interface FollowOptions extends Partial<Cursor> {
  signal?: AbortSignal;
  /**
   * Ends after the next `run_suspended` or `run_ended`, of this run if one is given. If that run hands over
   * to another run, ends with that one. Default: false; the reader never ends by itself.
   */
  untilIdle?: boolean | AwaitedRun;
}

/**
 * Yields a session's stored events after a cursor, with live events between them.
 *
 * @throws PawlError `draining` when this process stops serving. The reader can continue from its cursor in
 * another process.
 */
// A reader is only a cursor: it takes stored events from the store and live text from its position. So a slow
// reader gets fewer, longer deltas, uses no memory and delays nobody.
export function follow(
  source: Source,
  sessionId: string,
  options: FollowOptions = {},
): AsyncGenerator<SessionEvent, void, undefined> {
  return followFrom(source, { ...options, sessionId });
}

/** Accompanies a reader from its first read to its end. */
export interface ReaderCompanion {
  /** Called with stored events that the reader has read. */
  saw(events: readonly StoredEvent[]): void;
  close(): void;
}

interface FollowFrom extends FollowOptions {
  companion?: () => ReaderCompanion;
  sessionId: string;
  /**
   * Aborted with an error if no further events can come. The reader gets all stored events, and then this
   * error.
   */
  failure?: AbortSignal;
  /** Yields the rest of each answer's text as deltas before its `assistant_message`. Default: false. */
  wholeText?: boolean;
}

/**
 * Works like {@link follow}, but also accepts its options as a promise, for a reader that starts before its
 * cursor is known.
 */
export function followFrom(
  source: Source,
  from: Promise<Omit<FollowFrom, "signal">> | FollowFrom,
): AsyncGenerator<SessionEvent, void, undefined> {
  const signal = "signal" in from ? from.signal : undefined;
  return oneByOne(counting(source.reads, batches(source, from)), () => signal?.aborted ?? false);
}

async function* batches(
  source: Source,
  from: Promise<FollowFrom> | FollowFrom,
): AsyncGenerator<SessionEvent[], void, undefined> {
  const {
    sessionId,
    afterSeq = 0,
    live: known,
    signal,
    failure,
    companion,
    wholeText = false,
    untilIdle: awaited = false,
  } = await from;
  const { store, tail, watches, over } = source;
  unlessOver(over);
  const hidden = await redactedSince(store, sessionId, afterSeq);
  const bell = doorbell([signal, failure]);
  const stopListening = over.onChange(bell.ring);
  const { watch, leave } = watches.join(sessionId, afterSeq, bell.ring);
  const mate = companion?.();
  const below = agentsBelow(tail, bell.ring);
  const gone = () => signal?.aborted === true;
  const reader: Reader = { cursor: afterSeq, seen: newReader(known), awaited, wholeText };
  const stored = storedReads({ store, tail, watch, sessionId });
  const liveNow = afterFirst(bell.ring, () => tail.peek(sessionId).live);
  const isDone = () => gone() || over.isOn || reader.awaited === undefined;
  const rung = () => {
    failure?.throwIfAborted();
    return bell.wait();
  };
  try {
    while (!isDone()) {
      const begun = reader.cursor;
      let events = NO_EVENTS;
      for await (events of stored(reader.cursor)) {
        events.forEach(watch.saw);
        mate?.saw(events);
        yield take(reader, events, hidden);
        if (isDone()) break;
      }
      // A generator that waits keeps its variables: an idle reader would keep the events that it read last.
      events = NO_EVENTS;
      const { seq } = tail.peek(sessionId);
      // Stored events come before live ones, so that a tool's progress follows its start.
      const isBehind = reader.cursor > begun && Math.max(seq, watch.seq) > reader.cursor;
      if (isBehind || isDone()) continue;
      const live = liveNow();
      if (reader.seen.attempt === undefined)
        await adoptAttempt(store, sessionId, afterSeq, live, reader.seen);
      const news = [...newLiveEvents(live, reader.seen), ...below.news(live)];
      if (news.length > 0) yield news;
      await rung();
    }
    if (!over.isOn) return;
    // A run that ended in time is read to its end. The store may be closed by now.
    yield take(reader, recentAfter(tail, sessionId, reader.cursor), hidden);
    if (reader.awaited !== undefined) unlessOver(over);
  } finally {
    mate?.close();
    below.close();
    leave();
    stopListening();
    bell.close();
  }
}

/**
 * Returns a function that gets the live state, but rings instead when it is first called. So a reader always
 * looks at live text in a turn of the event loop of its own: the text of one packet is one delta.
 */
function afterFirst<T>(ring: () => void, get: () => T): () => T | undefined {
  let isFirst = true;
  return () => {
    if (!isFirst) return get();
    isFirst = false;
    ring();
    return undefined;
  };
}

const NO_EVENTS: readonly StoredEvent[] = [];

/** @throws PawlError `draining` once this process has stopped serving. */
function unlessOver({ isOn }: Switch): void {
  if (!isOn) return;
  const message = "This process is shutting down. Connect again to continue in another one.";
  throw new PawlError("draining", message);
}

/** A reader's state. `awaited` becomes `undefined` when the reader should end. */
interface Reader {
  cursor: number;
  seen: ReaderState;
  awaited: boolean | AwaitedRun | undefined;
  wholeText: boolean;
}

/** Moves a reader over stored events, until it should end, and returns the events that it is shown. */
function take(reader: Reader, events: readonly StoredEvent[], hidden: ReadonlySet<number>): SessionEvent[] {
  const shown: SessionEvent[] = [];
  for (const event of events) {
    if (reader.awaited === undefined) break;
    reader.cursor = event.seq;
    if (reader.wholeText && event.type === "assistant_message" && !hidden.has(event.seq)) {
      shown.push(...restOfAnswer(event, reader.seen));
    }
    shown.push(...around(event, reader.seen, hidden));
    reader.seen = readerAfter(event, reader.seen);
    reader.awaited = stillAwaited(reader.awaited, event);
  }
  return shown;
}
