import type { Host } from "./host.ts";
import { loadState } from "./session/load.ts";
import { openRun, type RunState } from "./session/state.ts";

/** Stores a request to stop the session's open run, if it is the wanted one, for whichever leg works on it now or next. */
export async function askToStop(
  host: Host,
  sessionId: string,
  isWanted: (run: RunState) => boolean = () => true,
): Promise<"nothing to stop" | "told" | "nobody works on it"> {
  const run = openRun(await loadState(host.store, sessionId));
  if (run === undefined || !isWanted(run)) return "nothing to stop";
  const [stored] = await host.store.append(
    sessionId,
    [{ type: "stop_requested", data: { run_id: run.runId } }],
    { appendId: host.newId() },
  );
  host.tail.stored(sessionId, stored?.seq ?? 0);
  const active = host.legs.get(sessionId);
  if (active === undefined) return "nobody works on it";
  await active.catchUp();
  return "told";
}
