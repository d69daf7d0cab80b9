import { eventKey } from "../log/event-keys.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { openRun } from "../session/state.ts";

/** The note that the model reads before the landing turn. */
const LAST_TURN =
  "This is your last turn for this request: no tool can be used any more. Tell the user how far you have come, and what is left.";

/** The same for an agent with an `output`. */
const LAST_OUTPUT =
  "This is your last turn for this request: no other tool can be used any more. Give your final answer now, as complete as it can be with what you know.";

/** Prepares the landing turn: stores the note that makes the next turn the run's last one. */
export async function land(leg: Leg, stop: StopReason): Promise<void> {
  const run = openRun(leg.log.state);
  if (run === undefined) return;
  leg.life.beginLanding();
  await leg.log.storeDecision([
    {
      type: "note",
      key: eventKey.landing(run.runId),
      data: { text: leg.run.agent.output ? LAST_OUTPUT : LAST_TURN, landing: stop },
    },
  ]);
}
