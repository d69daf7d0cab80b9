import type { StoredEvent } from "../log/event.ts";
import type { EventStore } from "../log/event-store.ts";
import type { SessionWatch } from "./session-watch.ts";

/** A reader waits for what is stored until so many events are read. */
const MAX_BATCH = 64;

/**
 * Reads the events after the cursor: first from the query shared by all readers at this place, the rest on
 * its own.
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

/** What is read, in batches; what was read before a failure comes before it. */
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
  if (batch.length > 0) yield batch;
}
