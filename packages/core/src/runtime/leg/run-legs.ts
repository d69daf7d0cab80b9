import type { Session } from "../../log/session-row.ts";
import type { SessionState } from "../../session/state.ts";
import { type HeldLease, withLease } from "./held-lease.ts";
import type { Host } from "./host.ts";
import { keepSnapshot } from "./keep-snapshot.ts";
import type { RunningLeg } from "./start-leg.ts";
import { work } from "./work.ts";

/** The session whose legs run. */
interface Running {
  host: Host;
  session: Session;
  state: SessionState;
  /** `seq` of the snapshot with which the state began; 0 without one, `undefined` if none was asked for. */
  snapshotSeq: number | undefined;
}

/** Runs a leg, and those of the runs that follow it. */
export async function runLegs(
  { host, session, state, snapshotSeq }: Running,
  begun: RunningLeg,
  { kept, nextLeg }: { kept: HeldLease; nextLeg(): RunningLeg },
): Promise<void> {
  for (let running = begun; ; ) {
    const { leg } = running;
    try {
      const settled = await withLease(kept, leg, () => work(leg));
      if (leg.life.nextRun === undefined) {
        running.end({ state, settled });
        if (settled) keepSnapshot(host, state, snapshotSeq);
        else if (leg.life.draining) notifyOfHandOver(host, session.id);
        return;
      }
    } catch (error) {
      return running.fail(error);
    }
    // The next leg is registered before this one ends, so that the session is never without a leg. From here
    // on, the state is that of the next run.
    const following = nextLeg();
    running.end({ state, settled: false });
    running = following;
  }
}

/** Tells the readers of this process that another one continues the run. */
function notifyOfHandOver({ handOvers }: Host, sessionId: string): void {
  for (const notify of [...handOvers]) notify(sessionId);
}
