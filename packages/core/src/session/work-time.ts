import type { StoredEvent } from "../log/event.ts";

/** How long a run was worked on, by the store's clock. */
export interface WorkTime {
  /** Total of the legs that have ended, in milliseconds. */
  ms: number;
  /** When the current leg began, ISO 8601; `undefined` without one. */
  since: string | undefined;
  /** When the leg's last event was stored, ISO 8601. */
  last: string;
}

/**
 * Adds an event to the working time of a run. A leg counts from its first event to its last one, also if its
 * process died. Events that do not come from the leg (answers, requests to stop, errors, events of
 * extensions), and those that only change the context, do not count as work.
 */
export function countWork(work: WorkTime, event: StoredEvent): void {
  switch (event.type) {
    case "tool_answered":
    case "stop_requested":
    case "error":
    case "user_message":
    case "knowledge":
    case "note":
    case "artifact":
    case "data_part":
    case "output":
    case "prefix":
    case "checkpoint":
    case "redaction":
      return;
    case "run_recovered":
      endLeg(work, work.last);
      break;
    case "run_suspended":
    case "run_left":
    case "run_ended":
      endLeg(work, event.at);
      return;
  }
  // The types of extensions contain a dot.
  if (event.type.includes(".")) return;
  work.since ??= event.at;
  work.last = event.at;
}

function endLeg(work: WorkTime, endedAt: string): void {
  if (work.since !== undefined) work.ms += Math.max(0, Date.parse(endedAt) - Date.parse(work.since));
  work.since = undefined;
}
