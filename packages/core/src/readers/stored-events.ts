import type { StoredEvent } from "../log/event.ts";
import type { EventStore } from "../log/store/event-store.ts";
import type { LiveTail } from "../log/store/live-tail.ts";
import type { SessionWatch } from "./session-watch.ts";

/** Returns all events after `cursor` from the tail; an empty list if the tail lacks the first of them. */
export function recentAfter(tail: LiveTail, sessionId: string, cursor: number): readonly StoredEvent[] {
  const { recent } = tail.peek(sessionId);
  // `recent` has no gaps, so the index follows from the `seq`.
  const index = cursor + 1 - (recent[0]?.seq ?? Number.POSITIVE_INFINITY);
  return index >= 0 && index < recent.length ? recent.slice(index) : NO_EVENTS;
}

/** The parts of a reader that reading stored events needs. */
interface ReadFrom {
  readonly source: { readonly store: EventStore; readonly tail: LiveTail };
  readonly watch: SessionWatch;
  readonly sessionId: string;
  readonly cursor: number;
  /** The number of due polls that the reader has made; `undefined` before its first read. */
  looks: number | undefined;
}

/**
 * Returns the events after a reader's cursor if they are in memory, otherwise a generator that reads them.
 */
// Queries the store at the start, and again when a poll is due: only the store is sure to have the events of
// other processes.
export function storedAfter(from: ReadFrom): readonly StoredEvent[] | AsyncGenerator<readonly StoredEvent[]> {
  const { watch, sessionId, cursor, source } = from;
  const { store, tail } = source;
  const isPollDue = from.looks !== watch.looks;
  const isFirst = from.looks === undefined;
  from.looks = watch.looks;
  if (isFirst) return inBatches(store.read(sessionId, { afterSeq: cursor }));
  const known = isPollDue ? NO_EVENTS : recentAfter(tail, sessionId, cursor);
  if (known.length > 0) return known;
  const isBehind = isPollDue || Math.max(tail.peek(sessionId).seq, watch.seq) > cursor;
  return isBehind ? readShared(watch, store, sessionId, cursor) : NO_EVENTS;
}

const NO_EVENTS: readonly StoredEvent[] = [];

/** The most events in a batch. */
const MAX_BATCH = 64;

/**
 * Yields the events after `cursor` in batches. The first batch comes from a query that all readers at this
 * cursor share.
 */
export async function* readShared(
  watch: SessionWatch,
  store: EventStore,
  sessionId: string,
  cursor: number,
): AsyncGenerator<readonly StoredEvent[]> {
  const { events, isWhole, failure } = await watch.ask(cursor);
  if (events.length > 0) yield events;
  if (failure !== undefined) throw failure.cause;
  if (!isWhole) yield* inBatches(store.read(sessionId, { afterSeq: events.at(-1)?.seq ?? cursor }));
}

/** Groups events into batches. If reading fails, yields what was read before and then throws. */
export async function* inBatches(events: AsyncIterable<StoredEvent>): AsyncGenerator<StoredEvent[]> {
  let batch: StoredEvent[] = [];
  try {
    for await (const event of events) {
      batch.push(event);
      if (batch.length < MAX_BATCH) continue;
      yield batch;
      batch = [];
    }
  } catch (cause) {
    if (batch.length > 0) yield batch;
    throw cause;
  }
  if (batch.length === 0) return;
  yield batch;
  // A generator that has ended keeps its variables, and so the batch, in memory.
  batch = [];
}
