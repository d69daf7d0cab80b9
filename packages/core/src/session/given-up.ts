import type { EventData } from "../log/event-data.ts";
import type { RunState, SessionState } from "./state.ts";

/** The most recoveries in a row without progress before a run is given up. */
const MAX_RECOVERIES = 3;

/** Returns whether a run's processes died too often without progress, so that it must end as `crash_loop`. */
export function isGivenUp({ recoveries }: RunState): boolean {
  return recoveries > MAX_RECOVERIES;
}

/**
 * Returns whether a process leaves a run on purpose, so that its recovery does not count as one after a
 * crash. Always true for `draining`. For the other reasons, true unless the model's answer is still in
 * progress.
 */
// An answer that did not fit into the time of this process would not fit into the next one's either, and each
// attempt costs money. A task of a sub-agent may take many processes: its progress is in its own log.
export function gaveWay({ openRequest }: RunState, reason: EventData["run_left"]["reason"]): boolean {
  return reason === "draining" || openRequest === undefined;
}

/** Returns whether any run of the session has a call with this id. */
export function hasCall({ calls, earlierCalls }: SessionState, id: string): boolean {
  return calls.has(id) || earlierCalls.includes(`\n${id}\n`);
}
