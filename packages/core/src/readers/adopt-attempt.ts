import type { EventStore } from "../log/store/event-store.ts";
import type { LiveState } from "../log/store/live-tail.ts";
import { ENDS_ATTEMPT, type ReaderState } from "./cursor.ts";

/** Returns whether a reader that connected mid-answer may have to be shown the attempt in progress. */
export function mayAdopt(
  live: LiveState | undefined,
  afterSeq: number,
  seen: ReaderState,
): live is LiveState {
  if (live === undefined || seen.attempt !== undefined) return false;
  const { attempt } = live;
  return attempt !== seen.over && attempt !== 0 && attempt <= afterSeq;
}

/**
 * Shows the attempt in progress to a reader that connects mid-answer. First checks in the log that the
 * attempt did not end before the reader's cursor: the live state may have come from a dead process.
 */
export async function adoptAttempt(
  store: EventStore,
  sessionId: string,
  afterSeq: number,
  { attempt }: LiveState,
  seen: ReaderState,
): Promise<void> {
  for await (const event of store.read(sessionId, { afterSeq: attempt, types: ENDS_ATTEMPT, limit: 1 })) {
    if (event.seq > afterSeq) break;
    seen.over = attempt;
    return;
  }
  seen.attempt = attempt;
}
