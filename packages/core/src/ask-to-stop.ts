import type { NewEvent } from "./events/event.ts";
import type { Host } from "./host.ts";
import { loadState } from "./session/load.ts";
import { patchOf } from "./session/patch.ts";
import { openRun, type RunState } from "./session/state.ts";

/**
 * Stores a request to stop the session's open run, if it is the wanted one. A leg of this process honours it.
 * If no leg works on the run, the caller has to recover the session. Returns `false` if there was nothing to
 * stop.
 */
export async function askToStop(
  host: Host,
  sessionId: string,
  isWanted: (run: RunState) => boolean = () => true,
): Promise<boolean> {
  const run = openRun(await loadState(host.store, sessionId));
  if (run === undefined || !isWanted(run)) return false;
  const events: NewEvent[] = [{ type: "stop_requested", data: { run_id: run.runId } }];
  const options = { appendId: host.newId(), session: patchOf(events) };
  const [stored] = await host.store.append(sessionId, events, options);
  host.tail.stored(sessionId, stored?.seq ?? 0);
  await host.legs.get(sessionId)?.catchUp();
  return true;
}
