import type { StoredEvent } from "../log/event.ts";

/**
 * Returns the `seq`s at which a view can begin, among consecutive events of a log: its messages are then the
 * last ones of the whole log's view. Each is the start of a run, or the first event of the log. A retry
 * continues its failed run, and a message that has waited belongs to the run that reads it, so no view begins
 * between these.
 *
 * Leaves out places that only earlier events could confirm.
 */
export function viewStarts(events: readonly StoredEvent[]): number[] {
  const first = events[0]?.seq ?? 1;
  const starts = new Set(first === 1 ? [1] : []);
  // A request has covered all messages up to this event. Unknown before the first request.
  let readUpto = first === 1 ? 0 : undefined;
  let lastQueued = 0;
  for (const { type, data, seq } of events) {
    if (type === "user_message" && data.queued) lastQueued = seq;
    else if (type === "llm_request" && data.prompt.upto_seq >= first - 1) readUpto = data.prompt.upto_seq;
    else if (type === "run_started" && data.retry_of === undefined) {
      // By then, the last run has ended, and with it all calls and questions.
      if (readUpto !== undefined && lastQueued <= readUpto) starts.add(seq);
    }
  }
  return [...starts];
}
