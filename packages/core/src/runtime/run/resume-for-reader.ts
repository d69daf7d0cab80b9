import { every, LONGEST_TIMER_MS } from "../../base/clock.ts";
import { PawlError } from "../../base/errors.ts";
import type { Session } from "../../log/session-row.ts";
import type { SessionEvent } from "../../log/store/live-event.ts";
import { type FollowOptions, followFrom } from "../../readers/follow.ts";
import type { ReaderCompanion } from "../../readers/reader.ts";
import { runsAfter } from "../../readers/session-watch.ts";
import { isResumed } from "../begin/begin.ts";
import { beginning } from "../begin/beginning.ts";
import type { AskedBy, Host } from "../leg/host.ts";

/** Follows a session, and resumes its run whenever no process is working on it. */
export function followAndResume(
  host: Host,
  sessionId: string,
  { caller, credentials, ...options }: FollowOptions & AskedBy,
): AsyncGenerator<SessionEvent, void, undefined> {
  const handedOver = new AbortController();
  const companion = () =>
    resumer(host, sessionId, { caller, credentials }, () => {
      const message = "Another process continues this run. Connect again to read on.";
      handedOver.abort(new PawlError("draining", message));
    });
  return followFrom(host, { ...options, sessionId, failure: handedOver.signal, companion });
}

/** What a reader knows of the session that it resumes. */
interface Watched {
  /** Whether a run is in progress, by what was read. */
  runs: boolean;
  /** When the reader last heard of the session, in the clock's milliseconds. */
  heardAt: number;
  /** Whether the session is being looked at. */
  isLookedAt: boolean;
  /** Whether the reader has left. */
  isOver: boolean;
  /** The time for which this reader has resumed the run. */
  resumedAt: string | null | undefined;
  cancelWait(): void;
}

/** What a reader does about a session that this process has no leg of. */
type Care = "nothing" | "give_credentials" | "wait" | "resume";

/**
 * Returns what to do about a session that this process is not working on: wait with a run until its time,
 * resume it once that has come, or give its question the reader's credentials.
 */
export function careFor(
  session: Pick<Session, "openRun" | "wakeAt" | "status" | "pending"> | undefined,
  facts: { now: number; resumedAt: string | null | undefined; hasTimer: boolean; hasCredentials: boolean },
): Care {
  if (session === undefined || session.openRun === null) return "nothing";
  const { wakeAt, status, pending } = session;
  // By this process's clock, which may be wrong. The store's clock then decides.
  const isLate = wakeAt != null && wakeAt !== facts.resumedAt && Date.parse(wakeAt) <= facts.now;
  const isDue = isLate && !facts.hasTimer;
  if (status === "suspended" && pending > 0 && !isDue)
    return facts.hasCredentials ? "give_credentials" : "nothing";
  return wakeAt != null && !isDue ? "wait" : "resume";
}

/**
 * Checks at once, and again after each lease time without a stored event, whether the session's run is
 * abandoned. Until its lease expires, the run of a dead process looks like any other.
 */
function resumer(host: Host, sessionId: string, from: AskedBy, onHandOver: () => void): ReaderCompanion {
  const { clock, leaseTtlMs } = host;
  const watched: Watched = {
    runs: false,
    heardAt: clock.now(),
    isLookedAt: false,
    isOver: false,
    resumedAt: undefined,
    cancelWait: () => {},
  };
  const look = () => void lookOnce(host, sessionId, from, watched, look);
  const cancel = every(clock, leaseTtlMs, () => {
    if (watched.runs && clock.now() - watched.heardAt >= leaseTtlMs / 2) look();
  });
  const notify = (id: string) => {
    if (id === sessionId) onHandOver();
  };
  host.handOvers.add(notify);
  look();
  return {
    saw(events) {
      watched.heardAt = clock.now();
      for (const event of events) {
        watched.runs = runsAfter(event, watched.runs);
        if (event.type === "run_suspended" && from.credentials !== undefined) look();
      }
    },
    close() {
      host.handOvers.delete(notify);
      watched.isOver = true;
      watched.cancelWait();
      cancel();
    },
  };
}

/** Looks at a session, unless the reader does so already. `again` is called if another process has it. */
async function lookOnce(
  host: Host,
  sessionId: string,
  from: AskedBy,
  watched: Watched,
  again: () => void,
): Promise<void> {
  if (watched.isLookedAt || host.draining) return;
  watched.isLookedAt = true;
  const waitMs = await beginning(host, careOnce(host, sessionId, from, watched)).catch(host.report);
  watched.isLookedAt = false;
  if (waitMs === undefined || watched.isOver) return;
  watched.cancelWait();
  watched.cancelWait = host.clock.after(Math.min(waitMs, LONGEST_TIMER_MS), again, { background: true });
}

/** Does what a session needs. Resolves to the time until the next look, in milliseconds, if that is known. */
async function careOnce(
  host: Host,
  sessionId: string,
  from: AskedBy,
  watched: Watched,
): Promise<number | undefined> {
  const isOurs = host.atWork.has(sessionId);
  const session = isOurs ? undefined : await host.store.sessions.get(sessionId);
  const care = careFor(session, {
    now: host.clock.now(),
    resumedAt: watched.resumedAt,
    hasTimer: host.wakes.has(sessionId),
    hasCredentials: from.credentials !== undefined,
  });
  if (isOurs || care === "wait" || care === "resume") watched.runs = true;
  if (session === undefined || care === "nothing" || care === "wait") return undefined;
  const { giveCredentials, resumeIfDue } = await import("../later/index.ts");
  if (care === "give_credentials") {
    await giveCredentials(host, session, from);
    return undefined;
  }
  const leg = await resumeIfDue(host, session, from);
  if (isResumed(leg)) watched.resumedAt = session.wakeAt;
  else if (leg !== undefined) return leg.waitMs + 1;
  return undefined;
}
