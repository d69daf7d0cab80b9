import { messageOf } from "../base/errors.ts";
import { type StopReason, stopFrom } from "../log/stop-reason.ts";
import type { RunState, SessionState } from "../session/state.ts";

/**
 * Decides before every turn whether a run ends: returns a stop reason, or `undefined` to continue. Gets the
 * current state of the run and of its session. Must be synchronous: a promise, another invalid value or an
 * exception ends the run as `error`.
 */
export type StopCondition = (
  run: Readonly<RunState>,
  session: Readonly<SessionState>,
) => StopReason | undefined;

/** Returns the stop reason of the first condition that returns one; `undefined` if none does. */
export function firstStop(
  conditions: readonly StopCondition[],
  run: Readonly<RunState>,
  session: Readonly<SessionState>,
): StopReason | undefined {
  for (const condition of conditions) {
    const reason = asked(condition, run, session);
    if (reason !== undefined && reason !== null) return stopFrom(reason);
  }
  return undefined;
}

function asked(condition: StopCondition, run: RunState, session: SessionState): StopReason | undefined {
  try {
    return condition(run, session);
  } catch (cause) {
    const message = `stopWhen of the agent "${run.agent}": ${messageOf(cause)}`;
    throw new Error(message, { cause });
  }
}
