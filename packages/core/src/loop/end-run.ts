import type { StoredOf } from "../log/event.ts";
import { ABORTED, type StopReason } from "../log/stop-reason.ts";
import { queuedMessages } from "../session/queued.ts";
import { openRun, type SessionState } from "../session/state.ts";
import { endingOf, notifyAtEnd, reportFailedEnd } from "./hooks/end-hooks.ts";
import type { Leg, Parts } from "./leg/leg.ts";

/**
 * Ends the run, answers every open call, and starts the next run if a queued message needs one. Returns
 * `false` if something else was stored first; then the caller must decide again.
 */
export async function endRun(leg: Leg, reason: StopReason): Promise<boolean> {
  leg.log.beginDecision();
  const run = openRun(leg.log.state);
  if (run === undefined) return false;
  const ending = await endingOf(leg, run, reason);
  if (ending === undefined) return false;
  const makeSuccessor = await nextRunFor(leg, reason);
  // Nothing is awaited between here and the append, so that no message is missed.
  const successor = makeSuccessor();
  if (successor === "decide_again") return false;
  const events = [...ending.events(successor?.next), ...(successor?.events ?? [])];
  // The same append releases the lease. So a message, an answer or a stop that arrives now is either stored
  // first, and this leg decides again, or it finds a session that no leg holds.
  if (!(await leg.log.appendAtTip(events, { release: successor === undefined }))) return false;
  reportFailedEnd(leg, run, ending.stop);
  if (ending.error !== undefined) await notifyAtEnd(leg, ending.error);
  await successor?.begun();
  return true;
}

/**
 * Returns the function that makes the next run, if queued messages need one. Nothing may be awaited between
 * its call and the append, so that no message is missed.
 */
async function nextRunFor(leg: Leg, reason: StopReason): ReturnType<Parts["prepareNextRun"]> {
  const needsRun = () => messagesForNextRun(leg, reason).length > 0;
  if (needsRun()) return (await leg.parts.load()).prepareNextRun(leg, reason);
  return () => (needsRun() ? "decide_again" : undefined);
}

/**
 * Returns the queued messages that start a new run. After a stop, these are only messages that
 * arrived after it: by stopping, the user also cancelled the earlier ones.
 */
export function messagesForNextRun(
  { log: { state }, life }: Leg,
  reason: StopReason,
): StoredOf<"user_message">[] {
  const { haltedAt, halted } = life;
  // A stop that arrives while the run already ends for another reason sets `halted`, but does not count.
  const aborted = halted === ABORTED && reason.type === ABORTED.type;
  const isStopped = state.run?.stopRequested === true || aborted;
  const stopSeq = isStopped ? stopSeqOf(state, haltedAt) : 0;
  return queuedMessages(state).filter(({ seq }) => seq > stopSeq);
}

/** Returns the number of the event at which the run was stopped; `Infinity` if it is unknown. */
function stopSeqOf({ run }: SessionState, haltedAt: number | undefined): number {
  return run?.stopSeq ?? haltedAt ?? Number.POSITIVE_INFINITY;
}
