import type { StoredEvent } from "../log/event.ts";
import type { EventStore } from "../log/store/event-store.ts";
import type { SessionWatch } from "./session-watch.ts";

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
