import { delay } from "../../base/clock.ts";
import { PawlError } from "../../base/errors.ts";
import type { NewEvent } from "../../log/event.ts";
import type { NextRun } from "../../log/next-run.ts";
import { fetchUserData } from "../../loop/fetch-user-data.ts";
import { startEvents } from "../../loop/start-run.ts";
import { queuedMessages, runToResume } from "../../session/queued.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import type { Host } from "../leg/host.ts";
import { type OpenLeg, openLeg } from "../leg/leg-runner.ts";
import type { RunStart } from "../leg/run-handle.ts";
import { type Begun, notifyOfStart, PAUSE_MS, resumeRun } from "./begin.ts";
import { earlierRun } from "./earlier-run.ts";
import { busy, type IncomingMessage, messageEvents } from "./incoming-message.ts";
import { queueHere, queueMessage } from "./queue-message.ts";
import { endSupersededRun } from "./supersede.ts";

/**
 * Stores the user's message with the start of a run, and starts the run. For a message that was stored
 * before, returns the run that it started then. During another run, does what `whenBusy` says.
 *
 * If a process holds the session's lease without an open run, it is just starting one, perhaps for this very
 * message: then waits and checks again.
 *
 * @throws PawlError `session_busy`.
 */
export async function beginWithMessage(host: Host, said: IncomingMessage): Promise<Begun> {
  const { session, agent } = said;
  const mayWait = said.whenBusy !== "reject";
  // Within this time, the leg that holds the session ends or loses its lease.
  const patienceMs = mayWait ? host.leaseTtlMs + agent.userDataTimeoutMs : 10 * PAUSE_MS;
  for (let waited = PAUSE_MS; ; waited += PAUSE_MS) {
    const leg = await openLeg(host, session, agent);
    const here = leg && (await unlessTaken(beginHere(host, said, leg)));
    if (here !== undefined) return here;
    const earlier = await earlierRun(host.store, session.id, said);
    if (earlier !== undefined) return { start: earlier, leg: undefined };
    const now = await host.store.sessions.get(session.id);
    if (now?.openRun !== null) {
      if (!mayWait) throw busy();
      const begun = await orEarlierRun(host, said, queueMessage(host, said));
      if (begun !== undefined) return begun;
    }
    if (waited >= patienceMs) throw busy();
    await delay(host.clock, PAUSE_MS);
  }
}

/** Returns `undefined` if another process took the session over first; nothing was stored then. */
async function unlessTaken(work: Promise<Begun>): Promise<Begun | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!PawlError.is(error, "fenced")) throw error;
    return undefined;
  }
}

/** Handles the message in this leg, which holds the session. */
async function beginHere(host: Host, said: IncomingMessage, leg: OpenLeg): Promise<Begun> {
  for (;;) {
    const left = runToResume(leg.log.state);
    if (left !== undefined) {
      if (said.whenBusy === "reject") {
        const resumed = await resumeRun(leg, left).catch(host.report);
        // Where the answer to this request may end the process, the resumed run would be lost with it.
        if (!host.staysAlive && said.isTask !== true) await resumed?.done.catch(host.report);
        throw busy();
      }
      const begun = await orEarlierRun(host, said, queueHere(host, said, leg));
      if (begun !== undefined) return begun;
    }
    const start = await orEarlierRun(host, said, startRun(host, said, leg));
    if (start !== undefined) return start;
  }
}

/** Starts a run. Returns `undefined` if an answer was stored first, so that a run is in progress. */
async function startRun(host: Host, said: IncomingMessage, leg: OpenLeg): Promise<Begun | undefined> {
  try {
    const start = await storeMessage(host, said, leg);
    return start && { start, leg: leg.go(said.signal) };
  } catch (error) {
    await leg.close();
    throw error;
  }
}

async function storeMessage(host: Host, said: IncomingMessage, leg: OpenLeg): Promise<RunStart | undefined> {
  const { session, agent } = said;
  const { log, deps } = leg;
  const userData = await fetchUserData(agent, session, deps, host.clock);
  while (runToResume(log.state) === undefined) {
    const before = openRun(log.state);
    const ending = before && (await endSupersededRun(host, session, agent, leg, before));
    if (before !== undefined && ending === undefined) continue;
    // The question may have been answered while the hooks ran.
    if (runToResume(log.state) !== undefined) break;
    const start = { runId: host.newId(), userData };
    const events: NewEvent[] = [
      ...(ending?.events(nextRun(log.state, start.runId)) ?? []),
      ...startEvents(log.state, agent, host.newId, start),
      ...messageEvents(said, false),
    ];
    const { sessionId, lastSeq: afterSeq } = log.state;
    if (!(await log.appendAtTip(events))) continue;
    await notifyOfStart(host, { agent, session, log }, start);
    return { sessionId, runId: start.runId, afterSeq };
  }
  return undefined;
}

/** Hands queued messages that no request covered over to the new run. */
function nextRun(state: SessionState, run_id: string): NextRun | undefined {
  const messages = queuedMessages(state).map(({ seq }) => seq);
  return messages.length === 0 ? undefined : { run_id, messages };
}

/**
 * Returns the outcome of `work`. If the message was stored before, returns the run that it started or was
 * queued for.
 */
async function orEarlierRun(
  host: Host,
  said: IncomingMessage,
  work: Promise<Begun | undefined>,
): Promise<Begun | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!PawlError.is(error, "key_taken")) throw error;
    const earlier = await earlierRun(host.store, said.session.id, said);
    if (earlier === undefined) throw busy();
    return { start: earlier, leg: undefined };
  }
}
