import type { WokenSession } from "../../engine/engine.ts";
import { firstExpiry, waitingFor } from "../../session/queued.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import type { Recovered } from "../begin/runtime-types.ts";
import type { ActiveLeg, Host } from "../leg/host.ts";
import { FREE_PLACE } from "../leg/place.ts";
import { resumeIfDue } from "./sweep.ts";

/**
 * Continues a session that an engine has woken, once this process has a place for it. Wakes it again if that
 * is needed. Never rejects.
 */
export async function continueWoken(host: Host, { sessionId, signal }: WokenSession): Promise<void> {
  const leave = await host.slots.take();
  try {
    const { outcome, wakeAt, userId = "" } = await recoverSession(host, sessionId, signal);
    if (outcome === "left") await host.engine?.wake(sessionId, { userId });
    else if (wakeAt !== undefined) await host.engine?.wake(sessionId, { userId, at: wakeAt });
  } catch (error) {
    // The store or the engine failed. A sweep finds the session.
    host.report(error);
  } finally {
    leave();
  }
}

/** Continues the session's run, and resolves once this process is done with it: see `Runtime.recover`. */
export async function recoverSession(
  host: Host,
  sessionId: string,
  signal?: AbortSignal,
): Promise<Recovered & { userId?: string }> {
  if (host.draining || signal?.aborted) return { outcome: "left" };
  const session = await host.store.sessions.get(sessionId);
  if (session === undefined || session.openRun === null) return { outcome: "ended" };
  const { userId, status, pending, wakeAt } = session;
  const later = { userId, wakeAt: new Date(host.clock.now() + host.leaseTtlMs).toISOString() };
  const own = host.legs.get(sessionId);
  if (own !== undefined) {
    await own.catchUp();
    return { outcome: "busy", ...later };
  }
  const isLater = wakeAt != null && Date.parse(wakeAt) > host.clock.now();
  if (isLater) return { outcome: "waiting", userId, wakeAt };
  if (status === "suspended" && pending > 0 && wakeAt == null) return { outcome: "waiting", userId };
  const leg = await resumeIfDue(host, session, { place: FREE_PLACE });
  if (leg === undefined) return host.draining ? { outcome: "left", userId } : { outcome: "busy", ...later };
  const outcome = await doneOf(leg, signal);
  if (outcome === undefined) return { outcome: "busy", ...later };
  if (!outcome.settled) return { outcome: "left", userId };
  return { userId, ...restOf(outcome.state, wakeAt ?? undefined, later) };
}

/** Waits for the end of a leg. Returns `undefined` if it failed. The leg has reported why. */
async function doneOf(leg: ActiveLeg, signal: AbortSignal | undefined) {
  signal?.addEventListener("abort", leg.leave, { once: true });
  try {
    return await leg.done.catch(() => undefined);
  } finally {
    signal?.removeEventListener("abort", leg.leave);
  }
}

/** Returns how a leg has left the session's run: it has ended, or waits. */
function restOf(state: SessionState, earlier: string | undefined, later: { wakeAt: string }): Recovered {
  const run = openRun(state);
  if (run === undefined) return { outcome: "ended" };
  const at = firstExpiry(waitingFor(run));
  if (at === undefined) return { outcome: "waiting" };
  // This process's clock said that the time had come, and the store's clock did not.
  return { outcome: "waiting", wakeAt: at === earlier && at < later.wakeAt ? later.wakeAt : at };
}
