import type { StoredEvent } from "../log/event.ts";
import type { EventStore } from "../log/store/event-store.ts";
import type { LiveTail } from "../log/store/live-tail.ts";
import type { SessionWatch } from "./session-watch.ts";

/** Returns the events after `cursor` that the tail has. It has none for a reader that is further behind. */
export function recentAfter(tail: LiveTail, sessionId: string, cursor: number): readonly StoredEvent[] {
  const { recent } = tail.peek(sessionId);
  // `recent` has no gaps, so the index follows from the `seq`.
  const at = cursor + 1 - (recent[0]?.seq ?? Number.POSITIVE_INFINITY);
  return at >= 0 && at < recent.length ? recent.slice(at) : NO_EVENTS;
}

/** The session of a reader, and where its events are. */
interface ReadFrom {
  readonly source: { readonly store: EventStore; readonly tail: LiveTail };
  readonly watch: SessionWatch;
  readonly sessionId: string;
  readonly cursor: number;
  /** The number of due polls that the reader has made; `undefined` before its first read. */
  looks: number | undefined;
}

/** Returns the events after a reader's cursor if they are known, otherwise a read of them. */
// Queries the store at the start, and again after a long silence: only the store has the events of other
// processes.
export function storedAfter(from: ReadFrom): readonly StoredEvent[] | AsyncGenerator<readonly StoredEvent[]> {
  const { watch, sessionId, cursor, source } = from;
  const { store, tail } = source;
  const isDue = from.looks !== watch.looks;
  const isFirst = from.looks === undefined;
  from.looks = watch.looks;
  if (isFirst) return inBatches(store.read(sessionId, { afterSeq: cursor }));
  const known = isDue ? NO_EVENTS : recentAfter(tail, sessionId, cursor);
  if (known.length > 0) return known;
  const isBehind = isDue || Math.max(tail.peek(sessionId).seq, watch.seq) > cursor;
  return isBehind ? pulled(watch, store, sessionId, cursor) : NO_EVENTS;
}

const NO_EVENTS: readonly StoredEvent[] = [];

/** The most events in a batch. */
const MAX_BATCH = 64;

/**
 * Yields the events after `cursor` in batches. The first batch comes from a query that all readers at this
 * cursor share.
 */
export async function* pulled(
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
  // A generator that is over keeps its variables.
  batch = [];
}
