import { type StopReason, stopFrom } from "../log/stop-reason.ts";
import type { RunState, SessionState } from "../session/state.ts";

/**
 * Decides before every turn whether a run ends: returns a reason to stop, or `undefined`. It gets the run and
 * its session as folded from the log, and is synchronous. A promise, any other invalid value, or an exception
 * ends the run as `error`.
 */
export type StopCondition = (
  run: Readonly<RunState>,
  session: Readonly<SessionState>,
) => StopReason | undefined;

/** Returns the first reason that any condition gives. */
export function firstStop(
  conditions: readonly StopCondition[],
  run: Readonly<RunState>,
  session: Readonly<SessionState>,
): StopReason | undefined {
  for (const condition of conditions) {
    const reason = condition(run, session);
    if (reason !== undefined && reason !== null) return stopFrom(reason);
  }
  return undefined;
}
