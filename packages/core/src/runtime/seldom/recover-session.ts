import type { WokenSession } from "../../engine/engine.ts";
import { firstExpiry, waitingFor } from "../../session/queued.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import type { Recovered } from "../begin/runtime-types.ts";
import type { Host } from "../leg/host.ts";
import { FREE_PLACE, takePlace } from "../leg/place.ts";
import { untilLeft } from "../leg/until-left.ts";
import { resumeIfDue } from "./sweep.ts";

/** How soon a session is woken again for which this process had no place, in milliseconds. */
const NO_PLACE_MS = 500;

/**
 * Continues a session that an engine has woken, if this process has a place for it. Wakes it again if that is
 * needed. Never rejects.
 */
export async function continueWoken(host: Host, { sessionId, signal }: WokenSession): Promise<void> {
  const { engine, slots, clock } = host;
  // The engine in memory has taken the place. Any other one finds another process meanwhile.
  const place = host.hasOwnEngine ? takePlace(slots) : FREE_PLACE;
  const at = (ms: number) => new Date(clock.now() + ms).toISOString();
  try {
    if (place === undefined) return await engine?.wake(sessionId, { at: at(NO_PLACE_MS) });
    const { outcome, wakeAt, userId = "" } = await recoverSession(host, sessionId, signal, true);
    // Without an engine of the application's, this process would take up again what it had to leave.
    if (outcome === "left" && host.hasOwnEngine) await engine?.wake(sessionId, { userId });
    else if (wakeAt !== undefined) await engine?.wake(sessionId, { userId, at: wakeAt });
  } catch (error) {
    host.report(error);
    await engine?.wake(sessionId, { at: at(host.leaseTtlMs) }).catch(host.report);
  } finally {
    place?.leave();
  }
}

/** Continues the session's run, and resolves once this process is done with it: see `Runtime.recover`. */
export async function recoverSession(
  host: Host,
  sessionId: string,
  signal?: AbortSignal,
  isWoken = false,
): Promise<Recovered & { userId?: string }> {
  if (host.draining || signal?.aborted) return { outcome: "left" };
  const session = await host.store.sessions.get(sessionId);
  if (session === undefined || session.openRun === null) return { outcome: "ended" };
  const { userId, status, pending, wakeAt } = session;
  const later = () => ({ userId, wakeAt: new Date(host.clock.now() + host.leaseTtlMs).toISOString() });
  const own = host.legs.get(sessionId);
  if (own !== undefined) {
    await own.catchUp();
    return { outcome: "busy", ...later() };
  }
  const isLater = wakeAt != null && Date.parse(wakeAt) > host.clock.now();
  if (isLater) return { outcome: "waiting", userId, wakeAt };
  if (status === "suspended" && pending > 0 && wakeAt == null) return { outcome: "waiting", userId };
  // The engine may have given the session to another process meanwhile.
  if (signal?.aborted) return { outcome: "left", userId };
  const leg = await resumeIfDue(host, session, { place: FREE_PLACE, isWoken });
  if (leg === undefined) return host.draining ? { outcome: "left", userId } : { outcome: "busy", ...later() };
  const outcome = await untilLeft(host, sessionId, leg, signal);
  if (outcome === undefined) return { outcome: "busy", ...later() };
  if (!outcome.settled) return { outcome: "left", userId };
  return { userId, ...restOf(outcome.state, wakeAt ?? undefined, later()) };
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
