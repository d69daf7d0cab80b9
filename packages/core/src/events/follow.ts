import type { SessionEvent } from "../run-handle.ts";
import { type Awaited, stillAwaited } from "./awaited.ts";
import { doorbell } from "./doorbell.ts";
import type { StoredEvent, StoredOf } from "./event.ts";
import type { EventStore } from "./event-store.ts";
import type { LiveEvent } from "./live-event.ts";
import type { LivePart, LiveState, LiveTail } from "./live-tail.ts";
import { redactedEvent, redactedSince } from "./redacted.ts";

/** Where a reader finds what it reads. */
interface Source {
  store: EventStore;
  tail: LiveTail;
  /** How often to look unasked, in milliseconds. */
  pollMs: number;
  /** Aborted when this process stops serving. */
  over: AbortController;
}

export interface FollowOptions {
  afterSeq?: number;
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
  const { sessionId, afterSeq = 0, signal, failure, ...options } = await from;
  const { store, tail, pollMs, over } = source;
  let seen = await seenBefore(source, sessionId, afterSeq);
  const hidden = await redactedSince(store, sessionId, afterSeq);
  const bell = doorbell(pollMs, [over.signal, signal, failure]);
  const unsubscribe = tail.subscribe(sessionId, bell.ring);
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
        seen = after(event, seen);
        awaited = stillAwaited(awaited, event);
        if (awaited === undefined) return;
      }
      const { live, seq } = tail.peek(sessionId);
      // What goes on now is shown after what was stored meanwhile: a tool's progress after its start.
      look = cursor > begun && seq > cursor;
      for (const shown of look ? [] : liveNews(live, seen)) yield shown;
      look ||= await news();
    }
  } finally {
    unsubscribe();
    bell.close();
  }
}

/** How far a reader has been shown the answer that is being written. */
interface Seen {
  attempt: number;
  /** How much of each block was shown, in pieces and in characters. */
  shown: Map<number, { pieces: number; chars: number }>;
  progress: number;
}

function nothingSeen(): Seen {
  return { attempt: 0, shown: new Map(), progress: 0 };
}

/**
 * An event, and what a reader has to know besides: where a turn ends, that text it was shown is void, and what a tool
 * says of itself. What was taken back is shown without what it said.
 */
function around(event: StoredEvent, seen: Seen, hidden: ReadonlySet<number>): SessionEvent[] {
  const shown: SessionEvent[] = [];
  const restarted =
    event.type === "llm_request" || event.type === "run_recovered" || event.type === "run_ended";
  if (restarted && seen.shown.size > 0) {
    shown.push({ type: "attempt_restarted", data: { attempt: seen.attempt } });
  }
  if (event.type === "llm_request" && event.data.turn > 1 && event.data.retry_of === undefined) {
    shown.push({ type: "turn_ended", data: { turn: event.data.turn - 1 } });
  }
  shown.push(hidden.has(event.seq) ? redactedEvent(event) : event);
  if (event.type === "tool_started" || event.type === "tool_result") shown.push(statusOf(event));
  return shown;
}

/** What a reader has that comes back in the middle of an answer: it knows the attempt and is shown all its text so far. */
async function seenBefore({ store, tail }: Source, sessionId: string, afterSeq: number): Promise<Seen> {
  const attempt = tail.peek(sessionId).live?.attempt ?? 0;
  if (attempt === 0 || attempt > afterSeq) return nothingSeen();
  const types = ["llm_request", "assistant_message", "run_recovered", "run_ended"] as const;
  for await (const event of store.read(sessionId, { afterSeq: attempt, types, limit: 1 })) {
    if (event.seq <= afterSeq) return nothingSeen();
  }
  return { ...nothingSeen(), attempt };
}

function after(event: StoredEvent, seen: Seen): Seen {
  if (event.type === "llm_request") return { ...nothingSeen(), attempt: event.seq, progress: seen.progress };
  const over =
    event.type === "assistant_message" || event.type === "run_recovered" || event.type === "run_ended";
  return over ? { ...nothingSeen(), progress: seen.progress } : seen;
}

function statusOf(event: StoredOf<"tool_started" | "tool_result">): LiveEvent {
  const { call_id, tool_name, status } = event.data;
  const phase = event.type === "tool_started" ? "start" : event.data.success ? "done" : "error";
  return {
    type: "tool_status",
    data: { call_id, tool_name, phase, ...(status !== undefined && { message: status }) },
  };
}

/** What has been written since the reader last looked. */
function* liveNews(live: LiveState | undefined, seen: Seen): Generator<LiveEvent> {
  if (live === undefined) return;
  if (live.attempt !== 0 && live.attempt === seen.attempt) {
    for (const part of live.parts) {
      const { pieces, chars } = seen.shown.get(part.index) ?? { pieces: 0, chars: 0 };
      if (part.pieces.length === pieces) continue;
      const text = part.pieces.slice(pieces).join("");
      seen.shown.set(part.index, { pieces: part.pieces.length, chars: chars + text.length });
      yield delta(part, { attempt: live.attempt, index: part.index, offset: chars, text });
    }
  }
  for (const [call_id, { tool_name, data, version }] of live.progress) {
    if (version <= seen.progress) continue;
    seen.progress = version;
    yield { type: "tool_progress", data: { call_id, tool_name, data } };
  }
}

function delta(
  { kind, tool }: LivePart,
  data: { attempt: number; index: number; offset: number; text: string },
): LiveEvent {
  if (kind === "tool_input") {
    return { type: "tool_input_delta", data: { ...data, ...(tool ?? { call_id: "", tool_name: "" }) } };
  }
  return { type: kind === "text" ? "text_delta" : "thinking_delta", data };
}
