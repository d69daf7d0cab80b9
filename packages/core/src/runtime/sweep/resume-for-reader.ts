import { every, LONGEST_TIMER_MS } from "../../base/clock.ts";
import type { Session } from "../../log/session-row.ts";
import type { ReaderCompanion } from "../../readers/reader.ts";
import { runsAfter } from "../../readers/session-watch.ts";
import { isResumed } from "../begin/begin.ts";
import { trackBegin } from "../begin/beginning.ts";
import { giveCredentials } from "../begin/give-credentials.ts";
import type { CallerOptions, Host } from "../leg/host.ts";
import { resumeIfDue } from "./sweep.ts";

/** The state of a reader that resumes the runs of a session. */
interface Watched {
  /** Whether a run is in progress, judging by the events read so far. */
  runs: boolean;
  /** When the reader last received events, in milliseconds of the host's clock. */
  heardAt: number;
  /** Whether a check of the session is in progress. */
  isChecking: boolean;
  /** Whether the reader is closed. */
  isClosed: boolean;
  /** `wakeAt` of the session when this reader last resumed its run; `undefined` before that. */
  resumedAt: string | null | undefined;
  /** Cancels the timer of the next check. */
  cancelWait(): void;
}

/** What a reader does for a session of which this process has no leg. */
type Care = "nothing" | "give_credentials" | "wait" | "resume";

/**
 * Returns what a reader does for a session that this process is not working on:
 *
 * - `wait` while the run waits for a time;
 * - `resume` if that time has come, or if the run does not wait: the process that works on it may be dead;
 * - `give_credentials` if the run asks the user, because it may ask for credentials;
 * - `nothing` without an open run, or if the user is asked and the reader has no credentials.
 */
export function actionFor(
  session: Pick<Session, "openRun" | "wakeAt" | "status" | "pending"> | undefined,
  facts: { now: number; resumedAt: string | null | undefined; hasTimer: boolean; hasCredentials: boolean },
): Care {
  if (session === undefined || session.openRun === null) return "nothing";
  const { wakeAt, status, pending } = session;
  // This process's clock may be wrong. When the run is resumed, the store's clock decides.
  const isLate = wakeAt != null && wakeAt !== facts.resumedAt && Date.parse(wakeAt) <= facts.now;
  const isDue = isLate && !facts.hasTimer;
  if (status === "suspended" && pending > 0 && !isDue)
    return facts.hasCredentials ? "give_credentials" : "nothing";
  return wakeAt != null && !isDue ? "wait" : "resume";
}

/**
 * Makes the companion of a reader, which resumes the session's run if it is abandoned. Checks at once, and
 * again after each lease time without a stored event: the lease of a dead process has expired by then.
 */
export function resumer(
  host: Host,
  sessionId: string,
  from: CallerOptions,
  onHandOver: () => void,
): ReaderCompanion {
  const { clock, leaseTtlMs } = host;
  const watched: Watched = {
    runs: false,
    heardAt: clock.now(),
    isChecking: false,
    isClosed: false,
    resumedAt: undefined,
    cancelWait: () => {},
  };
  const check = () => void checkOnce(host, sessionId, from, watched, check);
  const cancel = every(clock, leaseTtlMs, () => {
    if (watched.runs && clock.now() - watched.heardAt >= leaseTtlMs / 2) check();
  });
  const notify = (id: string) => {
    if (id === sessionId) onHandOver();
  };
  host.handOvers.add(notify);
  check();
  return {
    saw(events) {
      watched.heardAt = clock.now();
      for (const event of events) {
        watched.runs = runsAfter(event, watched.runs);
        if (event.type === "run_suspended" && from.credentials !== undefined) check();
      }
    },
    close() {
      host.handOvers.delete(notify);
      watched.isClosed = true;
      watched.cancelWait();
      cancel();
    },
  };
}

/**
 * Checks the session, unless a check is in progress. If its run waits for a time by the store's clock, sets a
 * timer that calls `checkAgain` then.
 */
async function checkOnce(
  host: Host,
  sessionId: string,
  from: CallerOptions,
  watched: Watched,
  checkAgain: () => void,
): Promise<void> {
  if (watched.isChecking || host.draining) return;
  watched.isChecking = true;
  const waitMs = await trackBegin(host, careOnce(host, sessionId, from, watched)).catch(host.report);
  watched.isChecking = false;
  if (waitMs === undefined || watched.isClosed) return;
  watched.cancelWait();
  watched.cancelWait = host.clock.after(Math.min(waitMs, LONGEST_TIMER_MS), checkAgain, { background: true });
}

/**
 * Does what {@link actionFor} returns. Resolves to the time until the next check, in milliseconds;
 * `undefined` if the usual checks are enough.
 */
async function careOnce(
  host: Host,
  sessionId: string,
  from: CallerOptions,
  watched: Watched,
): Promise<number | undefined> {
  const hasLeg = host.atWork.has(sessionId);
  const session = hasLeg ? undefined : await host.store.sessions.get(sessionId);
  const care = actionFor(session, {
    now: host.clock.now(),
    resumedAt: watched.resumedAt,
    hasTimer: host.wakes.has(sessionId),
    hasCredentials: from.credentials !== undefined,
  });
  if (hasLeg || care === "wait" || care === "resume") watched.runs = true;
  if (session === undefined || care === "nothing" || care === "wait") return undefined;
  if (care === "give_credentials") {
    await giveCredentials(host, session, from);
    return undefined;
  }
  const leg = await resumeIfDue(host, session, from);
  if (isResumed(leg)) watched.resumedAt = session.wakeAt;
  else if (leg !== undefined) return leg.waitMs + 1;
  return undefined;
}
