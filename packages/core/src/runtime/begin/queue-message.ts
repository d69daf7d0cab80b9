import type { Agent } from "../../agent/agent.ts";
import { PawlError } from "../../base/errors.ts";
import { catchUp, loadState } from "../../fold/load.ts";
import type { NewEvent } from "../../log/event.ts";
import { patchOf } from "../../log/store/row-patch.ts";
import { runInProgress, runToResume } from "../../session/queued.ts";
import type { RunState, SessionState } from "../../session/state.ts";
import type { Host } from "../leg/host.ts";
import type { LeasedSession } from "../leg/leased-session.ts";
import type { RunStart } from "../leg/run-handle.ts";
import { storeWithCredentials } from "../leg/session-credentials.ts";
import { asFailedWork, type Begun, recoverStored, resumeRun } from "./begin.ts";
import { type IncomingMessage, messageEvents, senderOf } from "./incoming-message.ts";
import { stopOnAbort } from "./stop-on-abort.ts";

/**
 * Queues a message for the run in progress. Needs no lease: the run's leg picks the message up, in this
 * process or another. Returns `starting` if no run is in progress yet.
 *
 * If another event was stored first, checks again whether the run is still in progress. So a message is never
 * stored without a run that reads it.
 */
export async function queueMessage(host: Host, incoming: IncomingMessage): Promise<Begun | "starting"> {
  const { session, agent } = incoming;
  const state = await loadState(host.store, session.id);
  const start = await storeQueued(host, incoming, state, runInProgress, async (events) => {
    const options = { appendId: host.newId(), afterSeq: state.lastSeq, session: patchOf(events) };
    try {
      await host.store.append(session.id, events, options);
      return true;
    } catch (error) {
      if (!PawlError.is(error, "conflict")) throw error;
      await catchUp(host.store, state);
      return false;
    }
  });
  if (start === undefined) return "starting";
  host.tail.stored(session.id, start.messageSeq ?? 0);
  const active = host.atWork.get(session.id);
  if (active !== undefined) await active.catchUp();
  const work =
    active === undefined ? await recoverStored(host, session, agent, senderOf(incoming)) : undefined;
  return { start, work, release: stopOnAbort(host, start, incoming.signal) };
}

/**
 * Queues a message for a run that no process is working on, and resumes the run. Also resumes the run if the
 * message was stored before, and then throws `key_taken`. Returns `overtaken` if the run now waits for the
 * user's answer; the lease is kept.
 */
export async function queueHere(
  host: Host,
  incoming: IncomingMessage,
  leased: LeasedSession,
): Promise<Begun | "overtaken"> {
  const { log, giveAway } = leased;
  try {
    const start = await storeQueued(host, incoming, log.state, runToResume, (events) =>
      log.appendAtTip(events, { giveAway }),
    );
    if (start === undefined) return "overtaken";
    const active = await resumeRun(leased, log.state.run as RunState).catch(asFailedWork);
    return { start, work: active, release: stopOnAbort(host, start, incoming.signal) };
  } catch (error) {
    if (PawlError.is(error, "key_taken"))
      await resumeRun(leased, log.state.run as RunState).catch(host.report);
    else await leased.close();
    throw error;
  }
}

/**
 * Stores a message for the run that `findRun` returns. Decides again if another event was stored first.
 * Returns `undefined` if `findRun` finds no run.
 */
async function storeQueued(
  host: Host,
  incoming: IncomingMessage,
  state: SessionState,
  findRun: (state: SessionState) => RunState | undefined,
  appendAtTip: (events: readonly NewEvent[]) => Promise<boolean>,
): Promise<RunStart | undefined> {
  const store = async () => {
    for (;;) {
      const run = findRun(state);
      if (run === undefined) return undefined;
      const { sessionId, lastSeq: afterSeq } = state;
      const { runId } = run;
      const events = queuedEvents(run, incoming);
      const messageSeq = afterSeq + events.length;
      if (await appendAtTip(events)) return { sessionId, runId, afterSeq, messageSeq };
    }
  };
  return await storeWithCredentials(
    host,
    state.sessionId,
    incoming.credentials,
    store,
    (start) => start?.messageSeq,
  );
}

/**
 * Returns the events that queue a message. With `whenBusy: "interrupt"`, the first one requests the run's
 * stop.
 */
function queuedEvents(run: RunState, incoming: IncomingMessage): NewEvent[] {
  const messages = messageEvents(incoming, true);
  if (incoming.whenBusy !== "interrupt") return messages;
  return [{ type: "stop_requested", data: { run_id: run.runId, interrupt: true } }, ...messages];
}

/**
 * Returns the longest time from a leg's lease to the start of its run, in milliseconds. After that time, the
 * leg has started its run, has ended, or has lost the lease.
 */
export function longestStart({ agents, leaseTtlMs }: Host, agent: Agent): number {
  // Any agent may have the conversation. Adds 5 s for an agent without user data, because the other leg's
  // version of the agent may have some.
  const starts = [agent, ...agents.values()].map(
    ({ userData, toolsTimeoutMs }) => (userData?.timeoutMs ?? 5_000) + toolsTimeoutMs,
  );
  return leaseTtlMs + Math.max(...starts);
}
