import type { Agent } from "../agent.ts";
import { PawlError } from "../errors.ts";
import type { Session } from "../events/session-row.ts";
import type { Host } from "../host.ts";
import { atRest } from "../session/at-rest.ts";
import { admitted } from "./admit.ts";
import { boundaryAt, checkpointEvents } from "./checkpoint.ts";

/**
 * Lets the session's context begin at the event `fromSeq`, or at the last place before it where no call is parted from
 * its result. Returns the `seq` at which it begins.
 *
 * @throws PawlError `invalid_input` where there is no context from `fromSeq` on, `session_busy` while a run is open.
 */
export async function startContextAt(
  host: Host,
  session: Session,
  agent: Agent,
  fromSeq: number,
): Promise<number> {
  return await atRest(host, session, agent, (state) => {
    const entries = admitted(state, state.lastSeq);
    const index = entries.findIndex(({ seq }) => seq >= fromSeq);
    if (index === -1) throw new PawlError("invalid_input", "There is no context from this event on.");
    const at = boundaryAt(entries, index, true);
    const from_seq = entries[at]?.seq ?? 0;
    const data = { from_seq, upto_seq: state.lastSeq, reason: "start" as const };
    return { result: from_seq, events: at === 0 ? [] : checkpointEvents(state, agent, data, host.newId()) };
  });
}
