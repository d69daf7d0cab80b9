import type { StoredEvent } from "../log/event.ts";

/** How long a run has been worked on, by the store's clock. */
export interface WorkTime {
  /** The legs that are over, in milliseconds. */
  ms: number;
  /** When the leg at work began, ISO 8601. */
  since: string | undefined;
  /** When its last event was stored. */
  last: string;
}

/**
 * Counts from a leg's first event to its last one. A leg that died is over with the last thing it stored;
 * what others store meanwhile (answers, requests to stop, what came too late, extension events) is no sign of
 * work.
 */
export function countWork(work: WorkTime, event: StoredEvent): void {
  switch (event.type) {
    case "tool_answered":
    case "stop_requested":
    case "error":
      return;
    case "run_recovered":
      endLeg(work, work.last);
      break;
    case "run_suspended":
    case "run_ended":
      endLeg(work, event.at);
      return;
  }
  if (event.type.includes(".")) return;
  work.since ??= event.at;
  work.last = event.at;
}

function endLeg(work: WorkTime, at: string): void {
  if (work.since !== undefined) work.ms += Math.max(0, Date.parse(at) - Date.parse(work.since));
  work.since = undefined;
}
