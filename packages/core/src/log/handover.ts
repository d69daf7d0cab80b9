import type { StoredEvent } from "./event.ts";
import { waitsForTime } from "./expiry.ts";

/**
 * A run that a reader waits for. With `messageSeq`, the reader waits for the run that answers the message
 * with this `seq`.
 */
export interface AwaitedRun {
  runId: string;
  messageSeq?: number;
}

/**
 * Returns the next run if this event ends the awaited run, and the next run answers the awaited message. That
 * is also the run of an agent that takes the conversation over, unless other messages start it. Otherwise
 * returns `undefined`.
 */
export function successorOf(awaited: AwaitedRun, event: StoredEvent): AwaitedRun | undefined {
  const { runId, messageSeq } = awaited;
  if (event.type !== "run_ended" || event.data.run_id !== runId) return undefined;
  const { next } = event.data;
  // Without messages of its own, the next run goes on for another agent.
  const isWanted = next?.messages.length === 0 || next?.messages.includes(messageSeq ?? 0);
  return next && isWanted ? { ...awaited, runId: next.run_id } : undefined;
}

/**
 * Returns what a reader still waits for after an event: a run, `true` for any run to settle, `false` for
 * nothing, or `undefined` once the wait is over.
 */
export function stillAwaited(
  awaited: boolean | AwaitedRun,
  event: StoredEvent,
): boolean | AwaitedRun | undefined {
  if (awaited === false || (event.type !== "run_suspended" && event.type !== "run_ended")) return awaited;
  // The run waits for a time, not for the user, and continues by itself.
  if (event.type === "run_suspended" && waitsForTime(event.data)) return awaited;
  if (awaited === true) {
    const handsOver = event.type === "run_ended" && event.data.next !== undefined;
    return handsOver ? awaited : undefined;
  }
  return event.data.run_id === awaited.runId ? successorOf(awaited, event) : awaited;
}
