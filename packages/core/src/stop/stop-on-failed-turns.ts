import type { CallState, RunState } from "../session/state.ts";
import type { StopCondition } from "./stop-condition.ts";

/**
 * Ends a run after `rounds` turns in a row in which every call failed. Unknown tools and refused or invalid
 * calls count as failures; skipped calls do not count. One success resets the count. Every agent has this
 * condition, see `limits.errorTurns`.
 */
export function stopOnFailedTurns(rounds: number): StopCondition {
  return (run) =>
    failedTurns(run, rounds) >= rounds
      ? {
          type: "circuit_open",
          message: "I stopped here: nothing that I tried has worked. Please try it another way.",
        }
      : undefined;
}

/** Counts the turns at the end of the run in which all calls failed, up to `most`. */
function failedTurns({ calls }: Readonly<RunState>, most: number): number {
  let turns = 0;
  let seq = -1;
  for (let at = calls.length - 1; at >= 0 && turns <= most; at -= 1) {
    const call = calls[at] as CallState;
    if (call.result?.data.skipped !== undefined) continue;
    const sameTurn = call.assistantSeq === seq;
    if (call.result?.data.success !== false) return sameTurn ? turns - 1 : turns;
    if (!sameTurn) turns += 1;
    seq = call.assistantSeq;
  }
  return turns;
}
