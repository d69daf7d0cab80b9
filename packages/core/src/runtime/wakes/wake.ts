import { LONGEST_TIMER_MS } from "../../base/clock.ts";
import type { Session } from "../../log/session-row.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import { firstExpiry, isResting, isSuspended, waitingFor } from "../../session/queued.ts";
import { openRun } from "../../session/state.ts";
import { isResumed, type NotDue } from "../begin/begin.ts";
import { beginning } from "../begin/beginning.ts";
import type { AskedBy, Host, Wake, Work } from "../leg/host.ts";

/**
 * The longest wait for which a process that sweeps sets a timer, in milliseconds. Sweeps find the sessions
 * that wait longer, so that those need no memory.
 */
const LONGEST_WAIT_MS = 15 * 60_000;

/** The first and the longest pause before a run is woken again that could not be woken, in milliseconds. */
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 60_000;

/**
 * Has the run of a leg that waits for a time resumed then: by the engine that the application has given, or
 * else by a timer. If this process dies with the timer, a sweep resumes the run. By a timer, the run keeps
 * its caller's credentials, which no other process has.
 */
export function wakeLater(host: Host, { log, run: { session }, access: { caller, credentials } }: Leg): void {
  const run = openRun(log.state);
  if (run === undefined || !isResting(run) || !host.agents.has(session.agent)) return;
  const at = firstExpiry(waitingFor(run));
  if (at === undefined) return;
  // Both times are the store's, so a clock of this process that is wrong does not matter.
  const afterMs = Math.max(0, Date.parse(at) - Date.parse(log.state.lastAt));
  if (host.hasOwnEngine && credentials === undefined) {
    const { id, userId } = session;
    host.engine?.wake(id, { afterMs, userId }).catch(host.report);
    return;
  }
  if (host.draining) return;
  // Timers may fire early by a part of a millisecond.
  const ms = afterMs + 1;
  if (ms > (host.staysAlive ? LONGEST_WAIT_MS : LONGEST_TIMER_MS)) return;
  const from: AskedBy = { ...(Object.keys(caller).length > 0 && { caller }), credentials };
  // Somebody who waits for the run's result waits for this timer, unless the user is asked.
  setWake(host, session.id, { runId: run.runId, at, from }, { ms, background: isSuspended(run) });
}

/** Sets a timer. If the run cannot be resumed then, the timer is set again, after growing pauses. */
function setWake(
  host: Host,
  id: string,
  wake: Pick<Wake, "runId" | "at" | "from">,
  { ms, background }: { ms: number; background: boolean },
): void {
  const { promise: work, resolve } = Promise.withResolvers<Work>();
  let pauseMs = FIRST_RETRY_MS;
  const set = (afterMs: number) => host.clock.after(afterMs, () => void ring(), { background });
  let cancelTimer = set(ms);
  const timer: Wake = { ...wake, work, cancel: () => cancelTimer() };
  host.wakes.get(id)?.cancel();
  host.wakes.set(id, timer);
  const ring = async () => {
    const active = await beginning(host, resumeAt(host, id, timer)).catch((error) => {
      host.report(error);
      return undefined;
    });
    const isCurrent = host.wakes.get(id) === timer;
    if (active === "moved on" || isResumed(active)) {
      // A leg that was started here has deleted it. One that was given to the engine has not.
      if (isCurrent) host.wakes.delete(id);
      if (active !== "moved on") resolve(active);
    } else if (isCurrent && !host.draining) {
      // It is too early, or the lease is taken, perhaps for a moment only, or the store failed.
      cancelTimer = set(active === undefined ? pauseMs : active.waitMs + 1);
      if (active === undefined) pauseMs = Math.min(2 * pauseMs, LONGEST_RETRY_MS);
    }
  };
}

/**
 * Resumes a session's run, unless it waits for a later time by now, or for the user only. Returns `undefined`
 * if it could not be resumed.
 */
async function resumeAt(host: Host, id: string, wake: Wake): Promise<Work | NotDue | "moved on" | undefined> {
  const session = await host.store.sessions.get(id);
  if (session === undefined || session.openRun !== wake.runId || !isDueAt(wake.at, session))
    return "moved on";
  const { resumeIfDue } = await import("../later/index.ts");
  return await resumeIfDue(host, session, wake.from);
}

/**
 * Returns whether a session is to be resumed at this time. A message or an answer that another process has
 * stored may have woken it, and no process may have noticed.
 */
function isDueAt(at: string, { status, wakeAt }: Session): boolean {
  return wakeAt === null ? status !== "suspended" : wakeAt <= at;
}

/** Cancels all timers, because the process is shutting down. Sweeps of other processes find the sessions. */
export function cancelWakes({ wakes }: Host): void {
  for (const { cancel } of wakes.values()) cancel();
  wakes.clear();
}
