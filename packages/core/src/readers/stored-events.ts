import type { StoredEvent } from "../log/event.ts";
import type { EventStore } from "../log/event-store.ts";
import type { LiveTail } from "../log/live-tail.ts";
import { inBatches, pulled } from "./batches.ts";
import type { SessionWatch } from "./session-watch.ts";

/** Returns the events after `cursor` that the tail has. It has none for a reader that is further behind. */
export function recentAfter(tail: LiveTail, sessionId: string, cursor: number): readonly StoredEvent[] {
  const { recent } = tail.peek(sessionId);
  // `recent` has no gaps, so the index follows from the `seq`.
  const at = cursor + 1 - (recent[0]?.seq ?? Number.POSITIVE_INFINITY);
  return at >= 0 ? recent.slice(at) : [];
}

/** The session of a reader, and where its events are. */
interface ReadFrom {
  store: EventStore;
  tail: LiveTail;
  watch: SessionWatch;
  sessionId: string;
}

/** Gets the batches of stored events after a cursor. */
type StoredReads = (
  cursor: number,
) => Iterable<readonly StoredEvent[]> | AsyncIterable<readonly StoredEvent[]>;

/** Returns a function that gets the stored events after a reader's cursor, as far as they are known. */
// Queries the store at the start, and again after a long silence: only the store has the events of other
// processes.
export function storedReads({ store, tail, watch, sessionId }: ReadFrom): StoredReads {
  let looks: number | undefined;
  return (cursor: number) => {
    const isDue = looks !== watch.looks;
    const isFirst = looks === undefined;
    looks = watch.looks;
    if (isFirst) return inBatches(store.read(sessionId, { afterSeq: cursor }));
    const known = isDue ? [] : recentAfter(tail, sessionId, cursor);
    if (known.length > 0) return [known];
    const { seq } = tail.peek(sessionId);
    return isDue || Math.max(seq, watch.seq) > cursor ? pulled(watch, store, sessionId, cursor) : [];
  };
}
