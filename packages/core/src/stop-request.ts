import type { Agent } from "./agent.ts";
import { askToStop } from "./ask-to-stop.ts";
import { recover } from "./begin.ts";
import type { Session } from "./events/session-row.ts";
import type { Host } from "./host.ts";

/**
 * Stops the session's run, wherever it is in progress, and also if it is suspended. A leg of this process may
 * have suspended the run just before the request was stored; it has then released the lease, and the run is
 * recovered here.
 */
export async function requestStop(host: Host, session: Session, agent: Agent): Promise<void> {
  if (await askToStop(host, session.id)) await recover(host, session, agent);
}
