import type { RunState } from "../session/state.ts";
import type { StopReason } from "./stop-reason.ts";

/** Looked at before every turn; a reason ends the run. */
export type StopCondition = (run: Readonly<RunState>) => StopReason | undefined;

/** The first reason that any condition gives. */
export function firstStop(
  conditions: readonly StopCondition[],
  run: Readonly<RunState>,
): StopReason | undefined {
  for (const condition of conditions) {
    const reason = condition(run);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
