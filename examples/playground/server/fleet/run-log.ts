import type { NodeSqlite } from "@pawl/sqlite";
import type { RunView } from "../../web/fleet/fleet-view.ts";
import { workerOf } from "./settings.ts";

/** What the events of a run say so far. */
interface Folded {
  steps: string[];
  lostBy: string[];
  /** The worker whose append was the last. */
  author: string | undefined;
  /** Whether that worker has said that it leaves the run. */
  isLeft: boolean;
  stop: string | undefined;
}

const NEW_EVENTS = `
SELECT rowid, session_id, event_type, append_id,
  CASE event_type WHEN 'run_ended' THEN json_extract(data, '$.stop.type') END AS stop
FROM agent_session_events WHERE rowid > ? ORDER BY rowid`;

const SESSIONS = `
SELECT id, open_run, CASE WHEN lease_expires_at > unixepoch('subsec') * 1000 THEN lease_holder END AS holder
FROM agent_sessions ORDER BY rowid`;

/**
 * Reads the runs of the fleet from the tables of the log. The id of an append, and the holder of a lease,
 * begin with the worker's name, so the log says who did what.
 */
export function runLog(db: Pick<NodeSqlite, "run">): () => RunView[] {
  const runs = new Map<string, Folded>();
  let seen = 0;
  return () => {
    // Every session has one run. No event is ever deleted, so later ones have higher numbers.
    for (const { rowid, session_id, event_type, append_id, stop } of db.run(NEW_EVENTS, [seen])) {
      seen = Number(rowid);
      const run = runs.get(String(session_id)) ?? newRun();
      runs.set(String(session_id), run);
      fold(run, String(event_type), append_id, stop);
    }
    return db.run(SESSIONS, []).map(({ id, open_run, holder }, index) => {
      const run = runs.get(String(id)) ?? newRun();
      const worker = workerOf(holder) ?? null;
      return { number: index + 1, ...stateOf(run, open_run, worker), steps: run.steps, lostBy: run.lostBy };
    });
  };
}

function newRun(): Folded {
  return { steps: [], lostBy: [], author: undefined, isLeft: false, stop: undefined };
}

/** Only the first event of an append has the append's id. */
function fold(run: Folded, type: string, appendId: unknown, stop: unknown): void {
  const before = run.author;
  if (appendId !== null) run.author = workerOf(appendId);
  if (type === "run_recovered" && before !== undefined && !run.isLeft) run.lostBy.push(before);
  if (type === "tool_result" && run.author !== undefined) run.steps.push(run.author);
  run.isLeft = type === "run_left";
  if (type === "run_ended") run.stop = String(stop);
}

function stateOf(
  { stop }: Folded,
  openRun: unknown,
  worker: string | null,
): Pick<RunView, "state" | "worker"> {
  if (stop !== undefined) return { state: stop === "end_turn" ? "done" : "failed", worker: null };
  return openRun !== null && worker !== null
    ? { state: "running", worker }
    : { state: "waiting", worker: null };
}
