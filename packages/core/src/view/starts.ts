import type { StoredEvent } from "../log/event.ts";

/**
 * Returns the `seq`s at which a view can begin, among consecutive events of a log. A view that begins there
 * has the last messages of the whole log's view. Each place is the start of a run, or the first event of the
 * log.
 *
 * A retry continues its failed run, and a queued message belongs to the run that reads it, so no view begins
 * between these. Places that only earlier events could confirm are left out.
 */
export function viewStarts(events: readonly StoredEvent[]): number[] {
  const first = events[0]?.seq ?? 1;
  const starts = new Set(first === 1 ? [1] : []);
  // `seq` up to which a request has covered all messages; `undefined` if only earlier events show it.
  let readUpto = first === 1 ? 0 : undefined;
  let lastQueued = 0;
  for (const { type, data, seq } of events) {
    if (type === "user_message" && data.queued) lastQueued = seq;
    else if (type === "llm_request" && data.prompt.upto_seq >= first - 1) readUpto = data.prompt.upto_seq;
    else if (type === "run_started" && data.retry_of === undefined) {
      // A run starts only after the run before it, and all its calls and questions, have ended.
      if (readUpto !== undefined && lastQueued <= readUpto) starts.add(seq);
    }
  }
  return [...starts];
}
