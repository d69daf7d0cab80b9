import type { StoredEvent } from "./event.ts";

/** A run whose end is waited for; with `messageSeq`, the run that takes this message up. */
export interface AwaitedRun {
  runId: string;
  messageSeq?: number;
}

/** Where this event passes an uncovered message on to the run that follows: that run. */
export function successorOf(awaited: AwaitedRun, event: StoredEvent): AwaitedRun | undefined {
  const { runId, messageSeq } = awaited;
  if (event.type !== "run_ended" || event.data.run_id !== runId || messageSeq === undefined) return undefined;
  const { next } = event.data;
  return next?.messages.includes(messageSeq) ? { runId: next.run_id, messageSeq } : undefined;
}

/**
 * What is waited for after this event, where `true` is for any run to come to rest; `undefined`: it has come.
 */
export function stillAwaited(
  awaited: boolean | AwaitedRun,
  event: StoredEvent,
): boolean | AwaitedRun | undefined {
  if (awaited === false || (event.type !== "run_suspended" && event.type !== "run_ended")) return awaited;
  if (awaited === true) {
    const handsOver = event.type === "run_ended" && event.data.next !== undefined;
    return handsOver ? awaited : undefined;
  }
  return event.data.run_id === awaited.runId ? successorOf(awaited, event) : awaited;
}
