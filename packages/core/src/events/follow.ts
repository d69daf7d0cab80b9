import type { SessionEvent } from "../run-handle.ts";
import { type AgentsBelow, agentsBelow } from "./agents-below.ts";
import { type Awaited, stillAwaited } from "./awaited.ts";
import { doorbell } from "./doorbell.ts";
import type { StoredEvent, StoredOf } from "./event.ts";
import type { EventStore } from "./event-store.ts";
import type { LiveEvent } from "./live-event.ts";
import type { LiveState, LiveTail } from "./live-tail.ts";
import type { Place } from "./place.ts";
import { redactedEvent, redactedSince } from "./redacted.ts";
import { endsAttempt, liveNews, newlyCome, type Seen, seenAfter, takeUpAttempt } from "./seen.ts";

/** Where a reader finds what it reads. */
interface Source {
  store: EventStore;
  tail: LiveTail;
  /** How often to look unasked, in milliseconds. */
  pollMs: number;
  /** Aborted when this process stops serving. */
  over: AbortController;
}

/** From a {@link Place} on. What is known of an answer in progress is not shown again. */
export interface FollowOptions extends Partial<Place> {
  signal?: AbortSignal;
  /** End after the next `run_suspended` or `run_ended`, of this run if it is named. An end that begins another run is none. */
  untilIdle?: boolean | Awaited;
}

/**
 * A session's events from a cursor on, and what is going on between them. A reader is a cursor and nothing else: it
 * takes stored events from the store and unstored text from where it stands, so that a slow reader gets fewer, longer
 * deltas, costs no memory and holds nobody up.
 *
 * @throws PawlError `draining` when this process stops serving; the reader goes on elsewhere from its cursor.
 */
export function follow(
  source: Source,
  sessionId: string,
  options: FollowOptions = {},
): AsyncGenerator<SessionEvent, void, undefined> {
  return followFrom(source, { ...options, sessionId });
}

interface FollowFrom extends FollowOptions {
  sessionId: string;
  /** Aborted with what keeps events from coming: the reader is told it after what is stored. */
  failure?: AbortSignal;
}

/** As {@link follow}, for a reader that is there before it is known where to begin. */
export async function* followFrom(
  source: Source,
  from: Promise<FollowFrom> | FollowFrom,
): AsyncGenerator<SessionEvent, void, undefined> {
  const { sessionId, afterSeq = 0, live: known, signal, failure, ...options } = await from;
  const { store, tail, pollMs, over } = source;
  let seen = newlyCome(known);
  const hidden = await redactedSince(store, sessionId, afterSeq);
  const bell = doorbell(pollMs, [over.signal, signal, failure]);
  const unsubscribe = tail.subscribe(sessionId, bell.ring);
  const below = agentsBelow(tail, bell.ring);
  const gone = () => signal?.aborted ?? false;
  let awaited: boolean | Awaited | undefined = options.untilIdle ?? false;
  let cursor = afterSeq;
  let look = true;
  const stored = () =>
    look || tail.peek(sessionId).seq > cursor ? store.read(sessionId, { afterSeq: cursor }) : [];
  const news = () => {
    failure?.throwIfAborted();
    return bell.wait();
  };
  try {
    while (!gone()) {
      over.signal.throwIfAborted();
      const begun = cursor;
      for await (const event of stored()) {
        if (gone()) return;
        cursor = event.seq;
        for (const shown of around(event, seen, hidden)) yield shown;
        seen = seenAfter(event, seen);
        awaited = stillAwaited(awaited, event);
        if (awaited === undefined) return;
      }
      const { live, seq } = tail.peek(sessionId);
      // What goes on now is shown after what was stored meanwhile: a tool's progress after its start.
      look = cursor > begun && seq > cursor;
      await takeUpAttempt(store, sessionId, afterSeq, live, seen);
      for (const shown of look ? [] : goingOn(live, seen, below)) yield shown;
      look ||= await news();
    }
  } finally {
    below.close();
    unsubscribe();
    bell.close();
  }
}

function* goingOn(live: LiveState | undefined, seen: Seen, below: AgentsBelow): Generator<LiveEvent> {
  yield* liveNews(live, seen);
  yield* below.news(live);
}

/**
 * An event, and what a reader has to know besides: where a turn ends, that text it was shown is void, and what a tool
 * says of itself. What was taken back is shown without what it said.
 */
function around(event: StoredEvent, seen: Seen, hidden: ReadonlySet<number>): SessionEvent[] {
  const shown: SessionEvent[] = [];
  const isVoid = endsAttempt(event) && event.type !== "assistant_message";
  if (isVoid && seen.attempt !== undefined && seen.chars > 0) {
    shown.push({ type: "attempt_restarted", data: { attempt: seen.attempt } });
  }
  if (event.type === "llm_request" && event.data.turn > 1 && isFirst(event)) {
    shown.push({ type: "turn_ended", data: { turn: event.data.turn - 1 } });
  }
  shown.push(hidden.has(event.seq) ? redactedEvent(event) : event);
  if (event.type === "tool_started" || event.type === "tool_result") shown.push(statusOf(event));
  return shown;
}

/** Whether its turn was not asked for before: then the one before it is over now. */
function isFirst({ data: { retry_of, again } }: StoredOf<"llm_request">): boolean {
  return retry_of === undefined && again === undefined;
}

function statusOf(event: StoredOf<"tool_started" | "tool_result">): LiveEvent {
  const { call_id, tool_name, status } = event.data;
  const phase = event.type === "tool_started" ? "start" : event.data.success ? "done" : "error";
  return {
    type: "tool_status",
    data: { call_id, tool_name, phase, ...(status !== undefined && { message: status }) },
  };
}
