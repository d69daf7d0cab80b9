import type { SessionEvent } from "../run-handle.ts";
import { doorbell } from "./doorbell.ts";
import type { StoredEvent } from "./event.ts";
import type { EventStore } from "./event-store.ts";
import type { LiveEvent } from "./live-event.ts";
import type { LivePart, LiveState, LiveTail } from "./live-tail.ts";
import { redactedEvent, redactedSince } from "./redacted.ts";

export interface FollowOptions {
  afterSeq?: number;
  signal?: AbortSignal;
  /** End after the next `run_suspended` or `run_ended`, of this run if it is named. */
  untilIdle?: boolean | { runId: string };
}

/**
 * A session's events from a cursor on, and what is going on between them. A reader is a cursor and nothing else: it
 * takes stored events from the store and unstored text from where it stands, so that a slow reader gets fewer, longer
 * deltas, costs no memory and holds nobody up.
 */
export async function* follow(
  source: { store: EventStore; tail: LiveTail; pollMs: number },
  sessionId: string,
  { afterSeq = 0, signal, untilIdle = false }: FollowOptions = {},
): AsyncGenerator<SessionEvent, void, undefined> {
  const { store, tail, pollMs } = source;
  const seen = await seenBefore(source, sessionId, afterSeq);
  const hidden = await redactedSince(store, sessionId, afterSeq);
  const bell = doorbell(pollMs, signal);
  const unsubscribe = tail.subscribe(sessionId, bell.ring);
  const gone = () => signal?.aborted ?? false;
  const reader: Reader = { cursor: afterSeq, seen, hidden };
  let look = true;
  try {
    while (!gone()) {
      if (look || tail.peek(sessionId).seq > reader.cursor) {
        const idle = yield* storedSince(
          store.read(sessionId, { afterSeq: reader.cursor }),
          reader,
          untilIdle,
          gone,
        );
        if (idle) return;
      }
      const { live, seq } = tail.peek(sessionId);
      if (live !== undefined) yield* liveNews(live, reader.seen);
      look = seq <= reader.cursor && !bell.rang() ? await bell.wait() : false;
    }
  } finally {
    unsubscribe();
    bell.close();
  }
}

interface Reader {
  cursor: number;
  seen: Seen;
  /** Redacted events that may still come. */
  hidden: ReadonlySet<number>;
}

/** What was stored since; returns whether the reader has seen all it wants. */
async function* storedSince(
  events: AsyncIterable<StoredEvent>,
  reader: Reader,
  untilIdle: boolean | { runId: string },
  gone: () => boolean,
): AsyncGenerator<SessionEvent, boolean, undefined> {
  for await (const event of events) {
    if (gone()) return true;
    reader.cursor = event.seq;
    yield* before(event, reader.seen);
    reader.seen = after(event, reader.seen);
    yield reader.hidden.has(event.seq) ? redactedEvent(event) : event;
    yield* statusOf(event);
    if (comesToRest(event, untilIdle)) return true;
  }
  return false;
}

function comesToRest(event: StoredEvent, untilIdle: boolean | { runId: string }): boolean {
  if (untilIdle === false || (event.type !== "run_suspended" && event.type !== "run_ended")) return false;
  return untilIdle === true || untilIdle.runId === event.data.run_id;
}

/** How far a reader has been shown the answer that is being written. */
interface Seen {
  attempt: number;
  /** Characters shown, by block. */
  offsets: Map<number, number>;
  progress: number;
}

function nothingSeen(): Seen {
  return { attempt: 0, offsets: new Map(), progress: 0 };
}

/** What a reader has to know before an event: where a turn ends, and that text it was shown is void. */
function* before(event: StoredEvent, seen: Seen): Generator<LiveEvent> {
  const restarted =
    event.type === "llm_request" || event.type === "run_recovered" || event.type === "run_ended";
  if (restarted && seen.offsets.size > 0) {
    yield { type: "attempt_restarted", data: { attempt: seen.attempt } };
  }
  if (event.type === "llm_request" && event.data.turn > 1) {
    yield { type: "turn_ended", data: { turn: event.data.turn - 1 } };
  }
}

/** What a reader has that comes back in the middle of an answer: it knows the attempt and is shown all its text so far. */
async function seenBefore(
  { store, tail }: { store: EventStore; tail: LiveTail },
  sessionId: string,
  afterSeq: number,
): Promise<Seen> {
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

function* statusOf(event: StoredEvent): Generator<LiveEvent> {
  if (event.type !== "tool_started" && event.type !== "tool_result") return;
  const { call_id, tool_name, status } = event.data;
  const phase = event.type === "tool_started" ? "start" : event.data.success ? "done" : "error";
  yield {
    type: "tool_status",
    data: { call_id, tool_name, phase, ...(status !== undefined && { message: status }) },
  };
}

/** What has been written since the reader last looked. */
function* liveNews(live: LiveState, seen: Seen): Generator<LiveEvent> {
  if (live.attempt !== 0 && live.attempt === seen.attempt) {
    for (const part of live.parts) {
      const offset = seen.offsets.get(part.index) ?? 0;
      if (part.text.length <= offset) continue;
      seen.offsets.set(part.index, part.text.length);
      yield delta(part, live.attempt, offset);
    }
  }
  for (const [call_id, { tool_name, data, version }] of live.progress) {
    if (version <= seen.progress) continue;
    seen.progress = version;
    yield { type: "tool_progress", data: { call_id, tool_name, data } };
  }
}

function delta(part: LivePart, attempt: number, offset: number): LiveEvent {
  const data = { attempt, index: part.index, offset, text: part.text.slice(offset) };
  if (part.kind === "tool_input") {
    return { type: "tool_input_delta", data: { ...data, ...(part.tool ?? { call_id: "", tool_name: "" }) } };
  }
  return { type: part.kind === "text" ? "text_delta" : "thinking_delta", data };
}
