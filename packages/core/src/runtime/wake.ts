import { LONGEST_TIMER_MS } from "../base/clock.ts";
import type { Leg } from "../leg/leg.ts";
import { firstExpiry, isResting, isSuspended, waitingFor } from "../session/queued.ts";
import { openRun } from "../session/state.ts";
import { beginning } from "./begin/beginning.ts";
import type { AskedBy, Host } from "./leg/host.ts";
import { resumeIfDue } from "./sweep.ts";

/**
 * The longest wait for which a process that sweeps sets a timer, in milliseconds. Sweeps find the sessions
 * that wait longer, so that those need no memory.
 */
const LONGEST_WAIT_MS = 15 * 60_000;

/**
 * Sets a timer that resumes the run of a leg which waits for a time. If this process dies, a sweep resumes
 * the run. The run keeps its caller's credentials, which no other process has.
 */
export function wakeLater(host: Host, { session, log, caller, credentials }: Leg): void {
  const { id } = session;
  const run = openRun(log.state);
  if (run === undefined || !isResting(run) || host.draining || !host.agents.has(session.agent)) return;
  const at = firstExpiry(waitingFor(run));
  if (at === undefined) return;
  // Both times are the store's, so a clock of this process that is wrong does not matter.
  // Timers may fire early by a part of a millisecond.
  const ms = Date.parse(at) - Date.parse(log.state.lastAt) + 1;
  if (ms > (host.staysAlive ? LONGEST_WAIT_MS : LONGEST_TIMER_MS)) return;
  const from: AskedBy = { ...(Object.keys(caller).length > 0 && { caller }), credentials };
  const wake = () => {
    if (host.wakes.get(id) === timer) host.wakes.delete(id);
    if (!host.draining) beginning(host, resumeAt(host, id, at, from)).catch(host.report);
  };
  // Somebody who waits for the run's result waits for this timer, unless the user is asked.
  const cancel = host.clock.after(ms, wake, { background: isSuspended(run) });
  const timer = { cancel, from };
  host.wakes.get(id)?.cancel();
  host.wakes.set(id, timer);
}

/**
 * Resumes a session's run, unless it waits for a later time by now, or for the user only. A message or an
 * answer that another process has stored may have woken the session, and no process may have noticed.
 */
async function resumeAt(host: Host, id: string, at: string, from: AskedBy): Promise<void> {
  const session = await host.store.sessions.get(id);
  if (session === undefined || session.openRun === null) return;
  const { status, wakeAt } = session;
  const isDue = wakeAt === null ? status !== "suspended" : wakeAt <= at;
  if (isDue) await resumeIfDue(host, session, { ...from, wokenAt: at });
}

/** Cancels all timers, because the process is shutting down. Sweeps of other processes find the sessions. */
export function cancelWakes({ wakes }: Host): void {
  for (const { cancel } of wakes.values()) cancel();
  wakes.clear();
}
