import type { Agent } from "./agent.ts";
import { askToStop } from "./ask-to-stop.ts";
import { recover } from "./begin.ts";
import type { Session } from "./events/session-row.ts";
import type { Host } from "./host.ts";

/** Stops the session's run, wherever it is at work, and also where it only waits. */
export async function requestStop(host: Host, session: Session, agent: Agent): Promise<void> {
  if ((await askToStop(host, session.id)) === "nobody works on it") await recover(host, session, agent);
}
