import { delay } from "../../base/clock.ts";
import { PawlError } from "../../base/errors.ts";
import type { NextRun } from "../../log/event-parts.ts";
import { startEvents, userDataFor } from "../../loop/start-run.ts";
import { loadParts } from "../../parts/at-hand.ts";
import { isWaitingRun, queuedMessages, runToResume } from "../../session/queued.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import type { Host } from "../leg/host.ts";
import { leaseSession } from "../leg/lease-session.ts";
import type { LeasedSession } from "../leg/leased-session.ts";
import { type Begun, PAUSE_MS, resumeRun } from "./begin.ts";
import {
  busyError,
  type IncomingMessage,
  legOptionsOf,
  messageEvents,
  storedCallerFields,
} from "./incoming-message.ts";
import { startRun } from "./store-start.ts";

/** Loads the code for a message that was sent before, or that arrives while the session has an open run. */
export type LoadsMeeting = () => Promise<
  Pick<typeof import("./earlier-run.ts"), "earlierRun"> &
    typeof import("../../loop/lacked-speaker.ts") &
    typeof import("./queue-message.ts") &
    typeof import("./supersede.ts")
>;

/**
 * Stores the user's message together with the start of a run, and starts the run. If the message is already
 * stored, returns the run that it started. During another run, `whenBusy` decides whether the message is
 * queued or refused.
 *
 * A process that has the session's lease without an open run is just starting a run, perhaps for the same
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
    return await beginOrQueue(host, incoming, load, opened);
  } catch (error) {
    if (!PawlError.is(error, "key_taken")) throw error;
    const earlier = await (await load()).earlierRun(host.store, incoming);
    if (earlier === undefined) throw busyError();
    return { start: earlier, work: undefined };
  }
}

/**
 * Starts a run with the message, or queues the message. Tries again while another leg is starting a run.
 *
 * @throws PawlError `key_taken` if the message was stored first by another request
 */
async function beginOrQueue(
  host: Host,
  incoming: IncomingMessage,
  load: LoadsMeeting,
  opened?: { leased: LeasedSession | undefined },
): Promise<Begun> {
  const { session, agent } = incoming;
  // `waitedMs` includes the pause at the end of this pass.
  for (let waitedMs = PAUSE_MS; ; waitedMs += PAUSE_MS) {
    const isOpened = opened !== undefined && waitedMs === PAUSE_MS;
    const leased = isOpened
      ? opened.leased
      : await leaseSession(host, session, agent, legOptionsOf(incoming));
    const begun =
      leased === undefined ? "taken" : await takenIfFenced(beginHere(host, incoming, leased, load));
    if (begun !== "taken") return begun;
    const earlier = await (await load()).earlierRun(host.store, incoming);
    if (earlier !== undefined) return { start: earlier, work: undefined };
    const queued = await queueOrRefuse(host, incoming, load);
    if (queued !== "starting") return queued;
    const mayWait = incoming.whenBusy !== "reject";
    const longestWaitMs = mayWait ? (await load()).longestStart(host, agent) : 10 * PAUSE_MS;
    if (waitedMs >= longestWaitMs) throw busyError();
    await delay(host.clock, PAUSE_MS);
  }
}

/**
 * Handles a message for a session whose lease is taken: queues the message for the open run, or throws
 * `session_busy`. Returns `starting` if the caller must check again, because the run may be about to start.
 */
async function queueOrRefuse(
  host: Host,
  incoming: IncomingMessage,
  load: LoadsMeeting,
): Promise<Begun | "starting"> {
  const row = await host.store.sessions.get(incoming.session.id);
  if (row?.openRun === null) return "starting";
  if (incoming.whenBusy !== "reject") return await (await load()).queueMessage(host, incoming);
  // The leg with a suspended session's lease is storing an answer or a message, which may still be refused.
  if (row?.status !== "suspended") throw busyError();
  return "starting";
}

/**
 * Returns the result of `work`. Returns `taken` if another process took over the session first. Then nothing
 * was stored.
 */
async function takenIfFenced(work: Promise<Begun | "taken">): Promise<Begun | "taken"> {
  try {
    return await work;
  } catch (error) {
    if (!PawlError.is(error, "fenced")) throw error;
    return "taken";
  }
}

/**
 * Stores the message under the session's lease: queued for the run in progress, or with a new run. Queues
 * nothing if `whenBusy` is `reject`: then resumes the run in progress, and throws `session_busy`.
 */
async function beginHere(
  host: Host,
  incoming: IncomingMessage,
  leased: LeasedSession,
  load: LoadsMeeting,
): Promise<Begun | "taken"> {
  for (;;) {
    const abandoned = runToResume(leased.log.state);
    if (abandoned !== undefined) {
      if (incoming.whenBusy === "reject") {
        if (isWaitingRun(abandoned)) return await refuseDuringWait(leased);
        const resumed = await resumeRun(leased, abandoned).catch(host.report);
        // The process may end with the response to this request, so the response waits for the resumed run.
        if (!host.staysAlive && incoming.isTask !== true) await resumed?.done.catch(host.report);
        throw busyError();
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

/** Refuses a message while the run waits for a time. Releases the lease, and leaves the run as it is. */
async function refuseDuringWait(leased: LeasedSession): Promise<never> {
  await leased.close();
  throw busyError();
}

/**
 * Starts a run with the message. Returns `overtaken` if an answer was stored first, so that the waiting run
 * continues. Releases the lease on failure.
 */
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

/**
 * Starts a run with the message. The same append ends a run that waits for the user's answer. Tries again if
 * something else was stored first. Returns `overtaken`, without storing the message, if a run is in progress
 * by then.
 */
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
    const waiting = openRun(log.state);
    // The end of the waiting run calls its hooks. A message that is sent again must not end its own run.
    const later = waiting !== undefined || log.state.handedTo !== null ? await load() : undefined;
    if (waiting !== undefined && (await later?.earlierRun(host.store, incoming)) !== undefined)
      throw new PawlError("key_taken", "The message is stored already.");
    const ending = waiting && (await later?.prepareSupersededEnd(host, session, agent, leased, waiting));
    if (waiting !== undefined && ending === undefined) continue;
    // The question may have been answered while the hooks ran, so that the run continues.
    if (runToResume(log.state) !== undefined) break;
    const { isGivenAway } = leased;
    const run = { runId: host.newId(), userData, isGivenAway, ...storedCallerFields(incoming) };
    const begun = await startRun(host, { session, agent, run, atOnce, signal, mayBegin }, leased, [
      ...(ending?.events(nextRun(log.state, run.runId)) ?? []),
      ...startEvents(log.state, agent, host.newId, run),
      ...(later?.lackedSpeaker(log.state, agent) ?? []),
      ...messageEvents(incoming, false),
    ]);
    if (begun !== "overtaken") return begun;
  }
  return "overtaken";
}

/** Returns the queued messages that no request contains yet, for the new run; `undefined` without any. */
function nextRun(state: SessionState, run_id: string): NextRun | undefined {
  const messages = queuedMessages(state).map(({ seq }) => seq);
  return messages.length === 0 ? undefined : { run_id, messages };
}
