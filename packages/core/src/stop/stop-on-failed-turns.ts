import { wrongValueText } from "../base/check-numbers.ts";
import { PawlError } from "../base/errors.ts";
import { markLogOnly } from "../log/log-only.ts";
import type { CallState, RunState } from "../session/state.ts";
import type { StopCondition } from "./stop-condition.ts";

/**
 * Ends a run as `circuit_open` after `turns` turns in a row in which every call failed. Unknown tools, denied
 * calls and invalid input count as failures; skipped calls do not count. One successful call resets the
 * count. Every agent has this condition already, see `limits.errorTurns`.
 *
 * @param turns a number above 0; `Infinity` never ends a run
 * @throws PawlError `config`
 *
 * @example
 * ```ts
 * import { agent, stopOnFailedTurns } from "@pawl/core";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const careful = agent({
 *   name: "careful",
 *   model: scriptedModel([{ text: "Hello." }]),
 *   instructions: "Be careful.",
 *   stopWhen: [stopOnFailedTurns(1)],
 * });
 * console.log(careful.stopWhen.length); // 2: its own, and the one that every agent has
 * ```
 */
export function stopOnFailedTurns(turns: number): StopCondition {
  if (!(typeof turns === "number" && turns > 0)) {
    throw new PawlError(
      "config",
      `turns of stopOnFailedTurns() must be a number above 0${wrongValueText(turns)}.`,
    );
  }
  return markLogOnly<StopCondition>((run) =>
    failedTurns(run, turns) >= turns
      ? {
          type: "circuit_open",
          message: "I stopped here: nothing that I tried has worked. Please try it another way.",
        }
      : undefined,
  );
}

/** Counts the turns at the end of the run in which all calls failed. Stops counting above `most`. */
function failedTurns({ calls }: Readonly<RunState>, most: number): number {
  let turns = 0;
  let countedSeq = -1;
  for (let index = calls.length - 1; index >= 0 && turns <= most; index -= 1) {
    const call = calls[index] as CallState;
    if (call.result?.data.skipped !== undefined) continue;
    const isCounted = call.assistantSeq === countedSeq;
    // A turn is counted at its last failed call. If another call of it succeeded, it does not count after
    // all.
    if (call.result?.data.success !== false) return isCounted ? turns - 1 : turns;
    if (!isCounted) turns += 1;
    countedSeq = call.assistantSeq;
  }
  return turns;
}
