import type { RunState, SessionState } from "../session/state.ts";
import type { StopReason } from "./stop-reason.ts";

/** Looked at before every turn, with the run and its session as folded from the log; a reason ends the run. */
export type StopCondition = (
  run: Readonly<RunState>,
  session: Readonly<SessionState>,
) => StopReason | undefined;

/** The first reason that any condition gives. */
export function firstStop(
  conditions: readonly StopCondition[],
  run: Readonly<RunState>,
  session: Readonly<SessionState>,
): StopReason | undefined {
  for (const condition of conditions) {
    const reason = condition(run, session);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
