import { type StopReason, stopFrom } from "../log/stop-reason.ts";
import type { RunState, SessionState } from "../session/state.ts";

/**
 * Looked at before every turn, with the run and its session as folded from the log; a reason ends the run. It
 * answers at once: a promise, or anything else that is no reason, ends the run as `error`, and so does one
 * that throws.
 */
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
    if (reason !== undefined && reason !== null) return stopFrom(reason);
  }
  return undefined;
}
