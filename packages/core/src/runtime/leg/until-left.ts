import type { Host, LegOutcome, Work } from "./host.ts";

/**
 * Waits until this process is done with a session: for its leg, and for the legs of the runs that queued
 * messages start. Leaves the session if the signal aborts. Returns `undefined` if a leg failed, which it has
 * reported.
 */
export async function untilLeft(
  host: Host,
  sessionId: string,
  leg: Work,
  signal?: AbortSignal,
): Promise<LegOutcome | undefined> {
  for (let active = leg; ; ) {
    const outcome = await doneOf(active, signal);
    const next = host.atWork.get(sessionId);
    if (outcome?.settled !== false || next === undefined || next === active) return outcome;
    active = next;
  }
}

async function doneOf(leg: Work, signal: AbortSignal | undefined): Promise<LegOutcome | undefined> {
  const leave = () => leg.leave(isTimeout(signal?.reason) ? "hand_over" : "taken_back");
  if (signal?.aborted) leave();
  else signal?.addEventListener("abort", leave, { once: true });
  try {
    return await leg.done.catch(() => undefined);
  } finally {
    signal?.removeEventListener("abort", leave);
  }
}

/** Whether a signal aborted because its time was over, as that of `AbortSignal.timeout()`. */
function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === "TimeoutError";
}
