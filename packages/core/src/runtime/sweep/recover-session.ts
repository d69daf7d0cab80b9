import type { WokenSession } from "../../engine/engine.ts";
import { firstExpiry, waitingFor } from "../../session/queued.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import { isResumed } from "../begin/begin.ts";
import type { Recovered } from "../begin/runtime-types.ts";
import type { Host } from "../leg/host.ts";
import { takePlace, UNCOUNTED_PLACE } from "../leg/place.ts";
import { untilLeft } from "../leg/until-left.ts";
import { wakePace } from "./resume-at-time.ts";
import { resumeIfDue } from "./sweep.ts";

/** The pause before a session is woken again if this process had no place for it, in milliseconds. */
const NO_PLACE_MS = 500;

/**
 * Continues a session that an engine has woken, if this process has a place for it. Wakes the session again
 * if it was left, or has to be continued later. Never rejects.
 */
export async function continueWoken(host: Host, { sessionId, signal }: WokenSession): Promise<void> {
  const { engine, slots } = host;
  // The engine in memory has taken a place before its call. The application's engine takes none.
  const place = host.hasOwnEngine ? takePlace(slots) : UNCOUNTED_PLACE;
  try {
    await wakePace();
    if (place === undefined) return await engine?.wake(sessionId, { afterMs: NO_PLACE_MS });
    const { outcome, afterMs, userId = "" } = await recoverSession(host, sessionId, signal, true);
    // The engine in memory would wake the session in this process, which has just left it.
    if (outcome === "left" && host.hasOwnEngine) await engine?.wake(sessionId, { userId });
    else if (afterMs !== undefined) await engine?.wake(sessionId, { userId, afterMs });
  } catch (error) {
    host.report(error);
    await engine?.wake(sessionId, { afterMs: host.leaseTtlMs }).catch(host.report);
  } finally {
    place?.leave();
  }
}

/**
 * Continues the session's run, and resolves once this process is done with it: see `Runtime.recover`.
 * `isWoken` says whether an engine has woken the session. The result also has the session's owner, for the
 * next wake.
 */
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
  const runningLeg = host.atWork.get(sessionId);
  if (runningLeg !== undefined) {
    await runningLeg.catchUp();
    return busy;
  }
  if (status === "suspended" && pending > 0 && wakeAt === null) return { outcome: "waiting", userId };
  // The engine may have given the session to another process meanwhile.
  if (signal?.aborted) return { outcome: "left", userId };
  const leg = await resumeIfDue(host, session, { place: UNCOUNTED_PLACE, isWoken });
  if (leg === undefined) {
    if (host.draining) return { outcome: "left", userId };
    const hasFailed = !host.agents.has(session.agent) || host.setbacks.has(sessionId);
    // The process that has the lease may be dead. Its lease then expires before a whole lease time is over.
    return hasFailed ? busy : { ...busy, afterMs: Math.ceil(host.leaseTtlMs / 3) };
  }
  if (!isResumed(leg)) return { outcome: "waiting", userId, afterMs: leg.waitMs };
  const outcome = await untilLeft(host, sessionId, leg, signal);
  if (outcome === undefined) return busy;
  if (!outcome.settled) return { outcome: "left", userId };
  return { userId, ...recoveredFrom(outcome.state) };
}

/** Returns the outcome after a leg that has ended or suspended the run. */
function recoveredFrom(state: SessionState): Recovered {
  const run = openRun(state);
  if (run === undefined) return { outcome: "ended" };
  const at = firstExpiry(waitingFor(run));
  if (at === undefined) return { outcome: "waiting" };
  return { outcome: "waiting", afterMs: Math.max(0, Date.parse(at) - Date.parse(state.lastAt)) };
}
