import { backoff } from "../../base/backoff.ts";
import { LONGEST_TIMER_MS } from "../../base/clock.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import { firstExpiry, isSuspended, isWaitingRun, waitingFor } from "../../session/queued.ts";
import { openRun } from "../../session/state.ts";
import { isResumed } from "../begin/begin.ts";
import { trackBegin } from "../begin/beginning.ts";
import type { CallerOptions, Host, Wake, Work } from "../leg/host.ts";

/**
 * The longest wait for which a process that sweeps sets a timer, in milliseconds. Sweeps find the sessions
 * that wait longer, so that those need no memory.
 */
const LONGEST_WAIT_MS = 15 * 60_000;

/** The pauses between attempts to resume a run whose time has come. */
const RESUME_WAITS = { baseMs: 100, maxMs: 60_000 };

/**
 * Arranges that a leg's run is resumed at the time for which it waits. The application's engine does so, or
 * else a timer of this process. Does nothing for a run that does not wait for a time.
 *
 * A run with credentials gets a timer, because no other process has its credentials. If this process dies, a
 * sweep resumes the run.
 */
export function wakeLater(host: Host, { log, run: { session }, access: { caller, credentials } }: Leg): void {
  const run = openRun(log.state);
  if (run === undefined || !isWaitingRun(run) || !host.agents.has(session.agent)) return;
  const at = firstExpiry(waitingFor(run));
  if (at === undefined) return;
  // Both times come from the store's clock, because this process's clock may be wrong.
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
  const from: CallerOptions = { ...(Object.keys(caller).length > 0 && { caller }), credentials };
  // `result` of the run settles only after this timer, so the timer keeps the process alive. If the run also
  // asks the user, `result` has settled, and the timer is a background one.
  setWake(host, session.id, { runId: run.runId, at, from }, { ms, background: isSuspended(run) });
}

/**
 * Sets a timer that resumes the run after `ms` milliseconds. If that fails, tries again after growing pauses.
 */
function setWake(
  host: Host,
  id: string,
  wake: Pick<Wake, "runId" | "at" | "from">,
  { ms, background }: { ms: number; background: boolean },
): void {
  const { promise: work, resolve } = Promise.withResolvers<Work>();
  let failures = 0;
  const setTimer = (afterMs: number) => host.clock.after(afterMs, () => void resume(), { background });
  let cancelTimer = setTimer(ms);
  const timer: Wake = { ...wake, work, cancel: () => cancelTimer() };
  host.wakes.get(id)?.cancel();
  host.wakes.set(id, timer);
  const resume = async () => {
    const later = import("../later/index.ts");
    const resuming = later.then(({ resumeUnlessMovedOn }) => resumeUnlessMovedOn(host, id, timer));
    const resumed = await trackBegin(host, resuming).catch((error) => {
      host.report(error);
      return undefined;
    });
    const isCurrent = host.wakes.get(id) === timer;
    if (resumed === "moved on" || isResumed(resumed)) {
      // A leg that starts in this process deletes the timer by itself. A run that the engine gets does not.
      if (isCurrent) host.wakes.delete(id);
      if (resumed !== "moved on") resolve(resumed);
    } else if (isCurrent && !host.draining) {
      // The run is not due yet by the store's clock, or the lease is taken, or the store failed.
      if (resumed === undefined) failures += 1;
      cancelTimer = setTimer(resumed === undefined ? backoff(failures, RESUME_WAITS) : resumed.waitMs + 1);
    }
  };
}

/** Cancels all timers when the process shuts down. Other processes find the sessions by their sweeps. */
export function cancelWakes({ wakes }: Host): void {
  for (const { cancel } of wakes.values()) cancel();
  wakes.clear();
}
