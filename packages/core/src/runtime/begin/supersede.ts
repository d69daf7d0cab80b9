import type { Agent } from "../../agent/agent.ts";
import { withinDeadline } from "../../base/deadline.ts";
import type { Session } from "../../log/session-row.ts";
import type { StopReason } from "../../log/stop-reason.ts";
import { type Ending, endingOf } from "../../loop/hooks/end-hooks.ts";
import { OVERTAKEN } from "../../session/close-calls.ts";
import type { RunState } from "../../session/state.ts";
import type { Host } from "../leg/host.ts";
import type { OpenLeg } from "../leg/leg-runner.ts";
import { makeLeg } from "../leg/make-leg.ts";

const SUPERSEDED: StopReason = { type: "interrupted", message: "The user went on without answering." };

/**
 * What ends a run whose question the user did not answer but talked past, to be stored with the new message.
 * The hooks are asked and the effects run as at any other end, in a leg that is stopped: nothing keeps the
 * user waiting for long. `undefined`: something was stored meanwhile, look again.
 */
export async function endSupersededRun(
  host: Host,
  session: Session,
  agent: Agent,
  { log, deps }: OpenLeg,
  run: RunState,
): Promise<Ending | undefined> {
  const leg = makeLeg({ host, session, agent, log, makeDeps: deps });
  leg.life.halt(SUPERSEDED);
  if (agent.hooks.some(({ onStop, afterRun }) => onStop !== undefined || afterRun !== undefined)) {
    // The run that is about to begin reports that they cannot be made.
    await withinDeadline(leg.life, leg.makeDeps()).catch(() => undefined);
  }
  // The run ends. Where a message comes while a leg is at work, the run continues: `closeOvertakenQuestions`.
  return await endingOf(leg, run, SUPERSEDED, OVERTAKEN);
}
