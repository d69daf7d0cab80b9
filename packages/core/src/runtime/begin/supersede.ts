import type { Agent } from "../../agent/agent.ts";
import { withinDeadline } from "../../base/deadline.ts";
import type { Session } from "../../log/session-row.ts";
import type { StopReason } from "../../log/stop-reason.ts";
import { type Ending, endingOf } from "../../loop/hooks/end-hooks.ts";
import { OVERTAKEN } from "../../session/close-calls.ts";
import type { RunState } from "../../session/state.ts";
import { accessTo } from "../leg/access.ts";
import type { Host } from "../leg/host.ts";
import type { LeasedSession } from "../leg/leased-session.ts";
import { makeLeg } from "../leg/make-leg.ts";
import { standIn } from "../leg/speaking.ts";

/** The stop reason of a waiting run that a new message replaces. */
const SUPERSEDED: StopReason = {
  type: "interrupted",
  message: "Stopped: a new message arrived instead of an answer.",
};

/**
 * Prepares the end of a waiting run that a new message replaces. The caller stores the end together with that
 * message. Hooks and effects run as at any other end, but in a stopped leg, so that the user does not wait
 * long. `next` is the agent of the new run. Returns `undefined` if another event was stored first. Then the
 * caller must decide again.
 */
export async function prepareSupersededEnd(
  host: Host,
  session: Session,
  next: Agent,
  { log, callers, lease }: LeasedSession,
  run: RunState,
): Promise<Ending | undefined> {
  // The replaced run keeps its own caller. Its credentials are in no process any more; those of this request
  // belong to the new message.
  const access = accessTo(host, session, {}, run);
  const agent = agentOfRun(host, run, next);
  const leg = makeLeg({ host, session, agent, log, callers, lease, access });
  leg.life.halt(SUPERSEDED);
  if (agent.hooks.some(({ onStop, afterRun }) => onStop !== undefined || afterRun !== undefined)) {
    // If `deps` fails, the run ends all the same. A hook that needs `deps` then fails, and its error is
    // logged.
    await withinDeadline(leg.life, leg.access.makeDeps()).catch(() => undefined);
  }
  // This ends the run, because no leg is running. During a leg, a message only closes the run's questions,
  // and the run continues: see `closeOvertakenQuestions`.
  return await endingOf(leg, run, SUPERSEDED, OVERTAKEN);
}

/**
 * Returns the agent of a waiting run that a run of the agent `next` replaces. They differ if the waiting run
 * has handed over, or if this runtime lacks its agent.
 */
function agentOfRun({ agents }: Host, run: RunState, next: Agent): Agent {
  return next.name === run.agent ? next : (agents.get(run.agent) ?? standIn(next));
}
