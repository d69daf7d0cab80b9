import type { Agent } from "./agent.ts";
import { recover } from "./begin.ts";
import type { Session } from "./events/session-row.ts";
import type { Host } from "./host.ts";
import { loadState } from "./session/load.ts";
import { openRun } from "./session/state.ts";

/** Asks the session's run to stop, wherever it is at work. */
export async function requestStop(host: Host, session: Session, agent: Agent): Promise<void> {
  const state = await loadState(host.store, session.id);
  const run = openRun(state);
  if (run === undefined) return;
  const [stored] = await host.store.append(
    session.id,
    [{ type: "stop_requested", data: { run_id: run.runId } }],
    { appendId: host.newId() },
  );
  host.tail.stored(session.id, stored?.seq ?? 0);
  const active = host.legs.get(session.id);
  if (active !== undefined) await active.catchUp();
  else await recover(host, session, agent);
}
