import type { Agent } from "../../agent/agent.ts";
import { PawlError } from "../../base/errors.ts";
import { admitted } from "../../context/admit.ts";
import { boundaryBefore, checkpointEvents } from "../../context/checkpoint.ts";
import type { Session } from "../../log/session-row.ts";
import { foldView } from "../../view/fold-view.ts";
import type { SessionView } from "../begin/runtime-types.ts";
import type { Host } from "../leg/host.ts";
import { speaking } from "../leg/speaking.ts";
import { whileIdle } from "./at-rest.ts";
import { withinRead } from "./session-reads.ts";

/**
 * Makes the session's context begin at the event `fromSeq`, or at the last earlier event where no call is
 * separated from its result. Returns the `seq` at which the context begins.
 *
 * @throws PawlError `invalid_input` if the model reads no event from `fromSeq` on; `session_busy` while a run
 * is open.
 */
export async function startContextAt(
  host: Host,
  session: Session,
  agent: Agent,
  fromSeq: number,
): Promise<number> {
  return await whileIdle(host, session, agent, (state) => {
    const speaker = speaking({ host, session, agent, state }, true);
    const entries = admitted(state, state.lastSeq);
    const index = entries.findIndex(({ seq }) => seq >= fromSeq);
    if (index === -1)
      throw new PawlError(
        "invalid_input",
        "The model reads no event from this one on, so the context cannot begin here.",
      );
    const start = boundaryBefore(entries, index, true);
    const from_seq = entries[start]?.seq ?? 0;
    const data = { from_seq, upto_seq: state.lastSeq, reason: "start" as const };
    return {
      result: from_seq,
      events: start === 0 ? [] : checkpointEvents(state, speaker, data, host.newId()),
    };
  });
}

/** Returns the session as its owner sees it. */
export async function viewOf(host: Host, session: Session): Promise<SessionView> {
  const { id: sessionId, userId } = session;
  return await withinRead(host, { sessionId, userId }, async () => ({
    session,
    ...(await foldView(host.store.read(sessionId))),
  }));
}
