import { delay } from "../../base/clock.ts";
import { PawlError } from "../../base/errors.ts";
import type { NextRun } from "../../log/event-parts.ts";
import { startEvents, userDataFor } from "../../loop/start-run.ts";
import { loadParts } from "../../parts/at-hand.ts";
import { isResting, queuedMessages, runToResume } from "../../session/queued.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import type { Host } from "../leg/host.ts";
import { leaseSession } from "../leg/lease-session.ts";
import type { LeasedSession } from "../leg/leased-session.ts";
import { type Begun, longestStart, PAUSE_MS, resumeRun } from "./begin.ts";
import { begunBy, busy, calledBy, type IncomingMessage, messageEvents } from "./incoming-message.ts";
import { startRun } from "./store-start.ts";

/** Loads the code for a message that meets a run: its own, one in progress, or one that waits. */
export type LoadsMeeting = () => Promise<
  Pick<typeof import("./earlier-run.ts"), "earlierRun"> &
    typeof import("./queue-message.ts") &
    typeof import("./supersede.ts")
>;

/**
 * Stores the user's message together with the start of a run, and starts the run. If the message is already
 * stored, returns the run that it started. During another run, does as `whenBusy` says.
 *
 * If a process has the session's lease without an open run, it is just starting a run, perhaps for the same
 * message. This function then waits and checks again. `opened` is the session that the caller has opened. Its
 * `leased` is `undefined` if the lease was taken.
 *
 * @throws PawlError `session_busy` if a run is in progress and `whenBusy` is `reject`, or the session stays
 * locked.
 */
export async function beginWithMessage(
  host: Host,
  incoming: IncomingMessage,
  load: LoadsMeeting,
  opened?: { leased: LeasedSession | undefined },
): Promise<Begun> {
  try {
    return await begin(host, incoming, load, opened);
  } catch (error) {
    if (!PawlError.is(error, "key_taken")) throw error;
    const earlier = await (await load()).earlierRun(host.store, incoming);
    if (earlier === undefined) throw busy();
    return { start: earlier, work: undefined };
  }
}

/** @throws PawlError `key_taken` if the message was stored first by another request. */
async function begin(
  host: Host,
  incoming: IncomingMessage,
  load: LoadsMeeting,
  opened?: { leased: LeasedSession | undefined },
): Promise<Begun> {
  const { session, agent } = incoming;
  const mayWait = incoming.whenBusy !== "reject";
  const patienceMs = mayWait ? longestStart(host, agent) : 10 * PAUSE_MS;
  for (let waited = PAUSE_MS; ; waited += PAUSE_MS) {
    const isFirst = opened !== undefined && waited === PAUSE_MS;
    const leased = isFirst ? opened.leased : await leaseSession(host, session, agent, begunBy(incoming));
    const here = leased === undefined ? "taken" : await unlessTaken(beginHere(host, incoming, leased, load));
    if (here !== "taken") return here;
    const earlier = await (await load()).earlierRun(host.store, incoming);
    if (earlier !== undefined) return { start: earlier, work: undefined };
    const queued = await duringRun(host, incoming, load);
    if (queued !== "starting") return queued;
    if (waited >= patienceMs) throw busy();
    await delay(host.clock, PAUSE_MS);
  }
}

/** Handles a message for a session whose lease is taken: queues it for the open run, or refuses it. */
async function duringRun(
  host: Host,
  incoming: IncomingMessage,
  load: LoadsMeeting,
): Promise<Begun | "starting"> {
  const now = await host.store.sessions.get(incoming.session.id);
  if (now?.openRun === null) return "starting";
  if (incoming.whenBusy !== "reject") return await (await load()).queueMessage(host, incoming);
  // In a suspended session, the answer or message of the other leg may still be refused.
  if (now?.status !== "suspended") throw busy();
  return "starting";
}

/** Passes the result of `work` on. If another process took over the session first, nothing was stored. */
async function unlessTaken(work: Promise<Begun | "taken">): Promise<Begun | "taken"> {
  try {
    return await work;
  } catch (error) {
    if (!PawlError.is(error, "fenced")) throw error;
    return "taken";
  }
}

/** Stores the message under the session's lease: for an open run, or with a new run. */
async function beginHere(
  host: Host,
  incoming: IncomingMessage,
  leased: LeasedSession,
  load: LoadsMeeting,
): Promise<Begun | "taken"> {
  for (;;) {
    const left = runToResume(leased.log.state);
    if (left !== undefined) {
      if (incoming.whenBusy === "reject") {
        if (isResting(left)) return await leaveWaiting(leased);
        const resumed = await resumeRun(leased, left).catch(host.report);
        // If the process may end with the response to this request, wait for the resumed run, or it would be
        // lost.
        if (!host.staysAlive && incoming.isTask !== true) await resumed?.done.catch(host.report);
        throw busy();
      }
      const { queueHere } = await load().catch(async (error: unknown) => {
        await leased.close();
        throw error;
      });
      const begun = await queueHere(host, incoming, leased);
      if (begun !== "overtaken") return begun;
    }
    const start = await beginRun(host, incoming, leased, load);
    if (start !== "overtaken") return start;
  }
}

/** Leaves a run that waits for a time as it is. */
async function leaveWaiting(leased: LeasedSession): Promise<never> {
  await leased.close();
  throw busy();
}

/** Starts a run. It is `overtaken` if an answer was stored first, so that a run is in progress. */
async function beginRun(
  host: Host,
  incoming: IncomingMessage,
  leased: LeasedSession,
  load: LoadsMeeting,
): ReturnType<typeof startRun> {
  try {
    return await tryToStart(host, incoming, leased, load);
  } catch (error) {
    await leased.close();
    throw error;
  }
}

async function tryToStart(
  host: Host,
  incoming: IncomingMessage,
  leased: LeasedSession,
  load: LoadsMeeting,
): ReturnType<typeof startRun> {
  const { session, signal, mayBegin } = incoming;
  const { log, callers } = leased;
  const agent = await leased.readyTo("start");
  const userData = await userDataFor(loadParts, { agent, session }, leased.access(), {
    clock: host.clock,
    hide: callers.hide,
  });
  const atOnce = await leased.startsAtOnce();
  while (runToResume(log.state) === undefined) {
    const before = openRun(log.state);
    // Ending the waiting run runs its hooks. The same message, sent again, must not end its own run.
    if (before !== undefined && (await (await load()).earlierRun(host.store, incoming)) !== undefined)
      throw new PawlError("key_taken", "The message is stored already.");
    const ending = before && (await (await load()).endSupersededRun(host, session, agent, leased, before));
    if (before !== undefined && ending === undefined) continue;
    // The question may have been answered while the hooks ran, so that the run continues.
    if (runToResume(log.state) !== undefined) break;
    const { isGivenAway } = leased;
    const run = { runId: host.newId(), userData, isGivenAway, ...calledBy(incoming) };
    const begun = await startRun(host, { session, agent, run, atOnce, signal, mayBegin }, leased, [
      ...(ending?.events(nextRun(log.state, run.runId)) ?? []),
      ...startEvents(log.state, agent, host.newId, run),
      ...messageEvents(incoming, false),
    ]);
    if (begun !== "overtaken") return begun;
  }
  return "overtaken";
}

/** Hands over to the new run the queued messages that no request contains yet. */
function nextRun(state: SessionState, run_id: string): NextRun | undefined {
  const messages = queuedMessages(state).map(({ seq }) => seq);
  return messages.length === 0 ? undefined : { run_id, messages };
}
