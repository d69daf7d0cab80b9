import type { Agent } from "../../agent/agent.ts";
import type { NewEvent } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import type { FetchedUserData } from "../../loop/fetch-user-data.ts";
import type { StoredRequest } from "../../loop/turn/prepare-request.ts";
import type { Host } from "../leg/host.ts";
import type { OpenLeg } from "../leg/leg-runner.ts";
import type { RunStart } from "../leg/run-handle.ts";
import { notifyOfStart } from "./begin.ts";

/** A run that is about to start. */
interface Starting {
  session: Session;
  agent: Agent;
  run: { runId: string; userData: FetchedUserData };
  signal: AbortSignal | undefined;
}

/** A stored start of a run, and its first request if that is stored too. */
interface StoredStart {
  start: RunStart;
  first: StoredRequest | undefined;
}

/**
 * Stores the start of a run, together with its first request if nothing comes between them. Returns
 * `undefined` if something else was stored first; then the caller must decide again.
 */
export async function storeRunStart(
  host: Host,
  { session, agent, run, signal }: Starting,
  { log, firstRequest, handOver }: OpenLeg,
  events: readonly NewEvent[],
): Promise<StoredStart | undefined> {
  const { sessionId, lastSeq: afterSeq } = log.state;
  // After a failure, hooks are notified before the first request. If the signal is aborted, no request is
  // made.
  const mayAsk = run.userData.failure === undefined && signal?.aborted !== true;
  const first = mayAsk ? await firstRequest(events) : undefined;
  const request: NewEvent[] = first === undefined ? [] : [{ type: "llm_request", data: first.event }];
  const all = [...events, ...request];
  // Hooks append under the lease.
  const mayLeave = run.userData.failure === undefined;
  if (!(await log.appendAtTip(all, { seq: afterSeq, ...(mayLeave && { handOver }) }))) return undefined;
  await notifyOfStart(host, { agent, session, log }, run);
  return {
    start: { sessionId, runId: run.runId, afterSeq },
    first: first && { ...first, seq: afterSeq + all.length },
  };
}
