import type { Agent } from "../../agent/agent.ts";
import { PawlError } from "../../base/errors.ts";
import { isNewerVersionError, loadState } from "../../fold/load.ts";
import type { NewEvent } from "../../log/event.ts";
import { eventKey } from "../../log/event-keys.ts";
import { type AwaitedRun, successorOf } from "../../log/handover.ts";
import type { Session } from "../../log/session-row.ts";
import { patchOf } from "../../log/store/row-patch.ts";
import { isSuspended } from "../../session/queued.ts";
import { openRun, type RunState } from "../../session/state.ts";
import type { Host, Work } from "../leg/host.ts";
import { UNCOUNTED_PLACE } from "../leg/place.ts";
import type { RunStart } from "../leg/run-handle.ts";
import { recover } from "./begin.ts";

/**
 * Stores a request to stop the session's open run, if `isWanted` accepts the run. A second request is not
 * stored. A leg of this process stops at once. If no leg is working on the run, the caller must recover the
 * session. Returns the run; `undefined` if none is open, or if `isWanted` does not accept it.
 */
export async function storeStopRequest(
  host: Host,
  sessionId: string,
  isWanted: (run: RunState) => boolean = () => true,
): Promise<RunState | undefined> {
  const run = openRun(await loadState(host.store, sessionId));
  if (run === undefined || !isWanted(run)) return undefined;
  if (!run.stopRequested) {
    const seq = await appendStopRequest(host, sessionId, run.runId);
    if (seq !== undefined) host.tail.stored(sessionId, seq);
  }
  await host.atWork.get(sessionId)?.catchUp();
  return run;
}

/** Appends a request to stop a run. Returns its `seq`; `undefined` if the run has such a request already. */
async function appendStopRequest(host: Host, sessionId: string, runId: string): Promise<number | undefined> {
  const events: NewEvent[] = [{ type: "stop_requested", key: eventKey.stop(runId), data: { run_id: runId } }];
  try {
    const options = { appendId: host.newId(), session: patchOf(events) };
    const [stored] = await host.store.append(sessionId, events, options);
    return stored?.seq;
  } catch (error) {
    if (PawlError.is(error, "key_taken")) return undefined;
    throw error;
  }
}

/** Stops a run that another leg is working on, and the run that it hands its message over to. */
export async function stopRunOf(host: Host, start: RunStart): Promise<void> {
  // The run may be handing its message over to the next run at this moment. So this repeats until the message
  // stays with the run that was stopped.
  for (let stoppedId: string | undefined; ; ) {
    const runId = await currentRunId(host, start);
    if (runId === stoppedId) return;
    const isWanted = (run: RunState) => run.runId === runId && !isSuspended(run);
    const stopped = await storeStopRequest(host, start.sessionId, isWanted);
    if (stopped !== undefined) await endIfWaiting(host, start.sessionId);
    stoppedId = runId;
  }
}

/** Ends a session's stopped run if no process is working on it, because the run waits for a time. */
async function endIfWaiting(host: Host, sessionId: string): Promise<void> {
  const session = await host.store.sessions.get(sessionId);
  const agent = session && host.agents.get(session.agent);
  if (session !== undefined && agent !== undefined) await recoverStopped(host, session, agent);
}

/**
 * Ends a stopped run if no process is working on it, and returns the work. If a newer version of Pawl
 * has stored events of the run, processes with that version must end it.
 */
async function recoverStopped(host: Host, session: Session, agent: Agent): Promise<Work | undefined> {
  try {
    return await recover(host, session, agent, { place: UNCOUNTED_PLACE });
  } catch (error) {
    if (!isNewerVersionError(error)) throw error;
    return undefined;
  }
}

/** Returns the id of the run that was started, or of the later run to which its message was handed over. */
async function currentRunId(host: Host, { sessionId, afterSeq, ...start }: RunStart): Promise<string> {
  let awaited: AwaitedRun = start;
  for await (const event of host.store.read(sessionId, { afterSeq, types: ["run_ended"] })) {
    awaited = successorOf(awaited, event) ?? awaited;
  }
  return awaited.runId;
}

/**
 * Stops the session's run in any process, also while it waits for an answer. A leg of this process may have
 * suspended the run just before the request was stored. That leg has released the lease, so the run is
 * recovered here, and has ended when this resolves. A run that a leg is working on ends later.
 */
export async function requestStop(host: Host, session: Session, agent: Agent): Promise<void> {
  const run = await storeStopRequest(host, session.id);
  if (run === undefined) return;
  const ending = await recoverStopped(host, session, agent);
  if (ending !== undefined) await ending.done;
  // Another request of this process may just have begun to end the run.
  else if (isSuspended(run)) await host.atWork.get(session.id)?.done;
}
