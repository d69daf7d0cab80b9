import type { WokenSession } from "../../engine/engine.ts";
import { firstExpiry, waitingFor } from "../../session/queued.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import { isResumed } from "../begin/begin.ts";
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
  const { engine, slots } = host;
  // The engine in memory has taken the place. Any other one finds another process meanwhile.
  const place = host.hasOwnEngine ? takePlace(slots) : FREE_PLACE;
  try {
    if (place === undefined) return await engine?.wake(sessionId, { afterMs: NO_PLACE_MS });
    const { outcome, afterMs, userId = "" } = await recoverSession(host, sessionId, signal, true);
    // Without an engine of the application's, this process would resume what it had to leave.
    if (outcome === "left" && host.hasOwnEngine) await engine?.wake(sessionId, { userId });
    else if (afterMs !== undefined) await engine?.wake(sessionId, { userId, afterMs });
  } catch (error) {
    host.report(error);
    await engine?.wake(sessionId, { afterMs: host.leaseTtlMs }).catch(host.report);
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
  const busy = { outcome: "busy" as const, userId, afterMs: host.leaseTtlMs };
  const own = host.atWork.get(sessionId);
  if (own !== undefined) {
    await own.catchUp();
    return busy;
  }
  if (status === "suspended" && pending > 0 && wakeAt === null) return { outcome: "waiting", userId };
  // The engine may have given the session to another process meanwhile.
  if (signal?.aborted) return { outcome: "left", userId };
  const leg = await resumeIfDue(host, session, { place: FREE_PLACE, isWoken });
  if (leg === undefined) {
    if (host.draining) return { outcome: "left", userId };
    const hasFailed = !host.agents.has(session.agent) || host.setbacks.has(sessionId);
    // The process that has the lease may be dead. Its lease then ends sooner than a new one would.
    return hasFailed ? busy : { ...busy, afterMs: Math.ceil(host.leaseTtlMs / 3) };
  }
  if (!isResumed(leg)) return { outcome: "waiting", userId, afterMs: leg.waitMs };
  const outcome = await untilLeft(host, sessionId, leg, signal);
  if (outcome === undefined) return busy;
  if (!outcome.settled) return { outcome: "left", userId };
  return { userId, ...restOf(outcome.state) };
}

/** Returns how a leg has left the session's run: it has ended, or waits. */
function restOf(state: SessionState): Recovered {
  const run = openRun(state);
  if (run === undefined) return { outcome: "ended" };
  const at = firstExpiry(waitingFor(run));
  if (at === undefined) return { outcome: "waiting" };
  return { outcome: "waiting", afterMs: Math.max(0, Date.parse(at) - Date.parse(state.lastAt)) };
}
