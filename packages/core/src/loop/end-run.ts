import { type StopReason, TAKEN_OVER } from "../log/stop-reason.ts";
import { handOverTarget, queuedMessages } from "../session/queued.ts";
import { openRun, type RunState } from "../session/state.ts";
import { endingOf, notifyAtEnd, reportFailedEnd } from "./hooks/end-hooks.ts";
import { isReplaced } from "./leg/effective-type.ts";
import type { Leg, Parts } from "./leg/leg.ts";

/**
 * Ends the run, answers every open call, and starts the next run if a queued message or a hand-over needs
 * one. Returns `false` if something else was stored first; then the caller must decide again.
 */
export async function endRun(leg: Leg, reason: StopReason): Promise<boolean> {
  leg.log.beginDecision();
  const run = openRun(leg.log.state);
  if (run === undefined) return false;
  const ending = await endingOf(leg, run, reason);
  if (ending === undefined) return false;
  const target = nextSpeaker(leg, run, ending.stop);
  const makeSuccessor = await nextRunFor(leg, reason, target);
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
 * Returns the agent that continues at once: the one to which the run has handed over, or the session's own if
 * this runtime lacks the run's agent. If a stop or a hook ends the run for another reason, that agent gets
 * the user's next message.
 */
function nextSpeaker(leg: Leg, run: RunState, { type }: StopReason): string | undefined {
  if (type === "terminal_tool") return handOverTarget(run);
  return type === TAKEN_OVER.type && isReplaced(leg, run) ? leg.run.agent.name : undefined;
}

/**
 * Returns the function that makes the next run, if queued messages or a hand-over to the agent `target` need
 * one. Nothing may be awaited between its call and the append, so that no message is missed.
 */
async function nextRunFor(
  leg: Leg,
  reason: StopReason,
  target?: string,
): ReturnType<Parts["prepareNextRun"]> {
  const mayNeedRun = () => target !== undefined || queuedMessages(leg.log.state).length > 0;
  if (mayNeedRun()) return (await leg.parts.load()).prepareNextRun(leg, reason, target);
  return () => (mayNeedRun() ? "decide_again" : undefined);
}
