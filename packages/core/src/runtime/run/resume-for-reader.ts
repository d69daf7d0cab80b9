import { every, LONGEST_TIMER_MS } from "../../base/clock.ts";
import { PawlError } from "../../base/errors.ts";
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

/**
 * Checks at once, and again after each lease time without a stored event, whether the session's run is
 * abandoned. Until its lease expires, the run of a dead process looks like any other.
 */
function resumer(host: Host, sessionId: string, from: AskedBy, onHandOver: () => void): ReaderCompanion {
  const { clock, leaseTtlMs, store } = host;
  let runs = false;
  let heardAt = clock.now();
  let looking = false;
  /** The time for which this reader has resumed the run. */
  let resumedAt: string | null | undefined;
  const look = async () => {
    if (host.atWork.has(sessionId)) {
      // This process is working on it.
      runs = true;
      return;
    }
    const session = await store.sessions.get(sessionId);
    if (session === undefined || session.openRun === null) return;
    const { wakeAt } = session;
    // By this process's clock, which may be wrong. The store's clock then decides.
    const isLate = wakeAt != null && wakeAt !== resumedAt && Date.parse(wakeAt) <= clock.now();
    const isDue = isLate && !host.wakes.has(sessionId);
    if (session.status === "suspended" && session.pending > 0 && !isDue) {
      if (from.credentials === undefined) return;
      const { giveCredentials } = await import("../later/index.ts");
      return await giveCredentials(host, session, from);
    }
    runs = true;
    if (wakeAt != null && !isDue) return;
    const { resumeIfDue } = await import("../later/index.ts");
    const leg = await resumeIfDue(host, session, from);
    if (isResumed(leg)) resumedAt = wakeAt;
    else if (leg !== undefined) lookAfter(leg.waitMs + 1);
  };
  const begin = () => {
    if (looking || host.draining) return;
    looking = true;
    const over = () => {
      looking = false;
    };
    beginning(host, look()).catch(host.report).then(over, over);
  };
  let cancelWait = () => {};
  const lookAfter = (ms: number) => {
    cancelWait();
    cancelWait = clock.after(Math.min(ms, LONGEST_TIMER_MS), begin, { background: true });
  };
  const cancel = every(clock, leaseTtlMs, () => {
    if (runs && clock.now() - heardAt >= leaseTtlMs / 2) begin();
  });
  const notify = (id: string) => {
    if (id === sessionId) onHandOver();
  };
  host.handOvers.add(notify);
  begin();
  return {
    saw(events) {
      heardAt = clock.now();
      for (const event of events) {
        runs = runsAfter(event, runs);
        if (event.type === "run_suspended" && from.credentials !== undefined) begin();
      }
    },
    close() {
      host.handOvers.delete(notify);
      cancelWait();
      cancel();
    },
  };
}
