import type { EventData } from "../log/event-data.ts";
import type { RunState, SessionState } from "./state.ts";

/** The most recoveries in a row without progress before a run is given up. */
const MAX_RECOVERIES = 3;

/** Returns whether a run's processes died too often without progress, so that it must end as `crash_loop`. */
export function isGivenUp({ recoveries }: RunState): boolean {
  return recoveries > MAX_RECOVERIES;
}

/**
 * Returns whether a process that leaves a run does not count as crashed. True for a deploy. If the process's
 * time was over, or its engine took the session back, true unless it was in the middle of an answer.
 */
// The same answer would not fit into the next process's time either, and each attempt costs money. A task of
// a sub-agent may take any number of processes: its progress is in a log of its own.
export function gaveWay({ openRequest }: RunState, reason: EventData["run_left"]["reason"]): boolean {
  return reason === "draining" || openRequest === undefined;
}

/** Returns whether the session has a call with this id. */
export function hasCall({ calls, earlierCalls }: SessionState, id: string): boolean {
  return calls.has(id) || earlierCalls.includes(`\n${id}\n`);
}
