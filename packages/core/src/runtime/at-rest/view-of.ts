import type { Session } from "../../log/session-row.ts";
import { reduceView } from "../../view/reduce.ts";
import { newView } from "../../view/view.ts";
import type { SessionView } from "../begin/runtime-types.ts";
import type { Host } from "../leg/host.ts";
import { withinRead } from "./session-reads.ts";

/** Returns the session as its owner sees it. */
export async function viewOf(host: Host, session: Session): Promise<SessionView> {
  const { id: sessionId, userId } = session;
  return await withinRead(host, { sessionId, userId }, async () => {
    let view = newView();
    for await (const event of host.store.read(sessionId)) view = reduceView(view, event);
    return { session, ...view };
  });
}
