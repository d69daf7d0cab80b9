import type { Host, LegOutcome, Work } from "./host.ts";

/**
 * Waits until this process is done with a session: for its leg, and for the legs of the runs that queued
 * messages start. If the signal aborts, leaves the run to another process. Returns `undefined` if a leg
 * failed; the leg has reported its error.
 */
export async function untilLeft(
  host: Host,
  sessionId: string,
  leg: Work,
  signal?: AbortSignal,
): Promise<LegOutcome | undefined> {
  for (let active = leg; ; ) {
    const outcome = await outcomeOf(active, signal);
    const next = host.atWork.get(sessionId);
    const mayHaveNext = outcome?.settled === false;
    if (!mayHaveNext || next === undefined || next === active) return outcome;
    active = next;
  }
}

/** Waits for a leg. If the signal aborts, has the leg leave its run to another process. */
async function outcomeOf(leg: Work, signal: AbortSignal | undefined): Promise<LegOutcome | undefined> {
  const leave = () => leg.leave(isTimeout(signal?.reason) ? "hand_over" : "taken_back");
  if (signal?.aborted) leave();
  else signal?.addEventListener("abort", leave, { once: true });
  try {
    return await leg.done.catch(() => undefined);
  } finally {
    signal?.removeEventListener("abort", leave);
  }
}

/** Returns whether a reason is that of `AbortSignal.timeout()`. */
function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === "TimeoutError";
}
