import type { Leg } from "../leg/leg.ts";
import { eventKey } from "../log/event-keys.ts";
import type { StopReason } from "../log/stop-reason.ts";
import { openRun } from "../session/state.ts";

/** The note that the model reads before its last turn. */
const LAST_TURN =
  "This is your last turn for this request: no tool can be used any more. Tell the user how far you have come, and what is left.";

/** Starts the run's last turn, because a limit is near and the user should get a proper answer. */
export async function land(leg: Leg, stop: StopReason): Promise<void> {
  const run = openRun(leg.log.state);
  if (run === undefined) return;
  leg.life.beginLanding();
  await leg.log.append([
    { type: "note", key: eventKey.landing(run.runId), data: { text: LAST_TURN, landing: stop } },
  ]);
}
