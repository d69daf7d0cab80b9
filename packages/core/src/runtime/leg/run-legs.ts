import type { Session } from "../../log/session-row.ts";
import type { SessionState } from "../../session/state.ts";
import type { Host, LegOutcome, Work } from "./host.ts";
import { keepSnapshot } from "./keep-snapshot.ts";
import { type KeptLease, withLease } from "./kept-lease.ts";
import type { OwnLeg } from "./make-leg.ts";
import { startLeg } from "./start-leg.ts";
import { work } from "./work.ts";

/** The session whose legs run, and its lease. */
interface Running {
  host: Host;
  session: Session;
  state: SessionState;
  /** `seq` of the snapshot with which the state began; 0 without one, `undefined` if none was asked for. */
  snapshotSeq: number | undefined;
  kept: KeptLease;
  /** Makes the leg of the run that has started in the append which ended the run before it. */
  nextLeg(): OwnLeg;
  /** Called once no leg follows. */
  leave(): void;
}

/**
 * Runs a leg, and those of the runs that follow it. Aborting the signal stops the first run. The leg works
 * once `earlier` has resolved.
 */
export function runLegs(
  running: Running,
  leg: OwnLeg,
  { signal, earlier }: { signal?: AbortSignal | undefined; earlier?: Promise<void> } = {},
): Work {
  const { host, session, state, snapshotSeq, kept, nextLeg, leave } = running;
  let beginNext: (() => void) | undefined;
  const doWork = async (): Promise<LegOutcome> => {
    if (earlier !== undefined) await earlier;
    const settled = await withLease(kept, leg, () => work(leg));
    if (leg.life.nextRun === undefined) return { state, settled };
    // The next leg is registered before this one ends, so that the session is never without a leg, and works
    // once it has ended. From here on, the state is that of the next run.
    const ended = Promise.withResolvers<void>();
    runLegs(running, nextLeg(), { earlier: ended.promise });
    beginNext = ended.resolve;
    return { state, settled: false };
  };
  const onEnd = (outcome?: LegOutcome) => {
    if (beginNext !== undefined) return beginNext();
    leave();
    if (outcome?.settled) keepSnapshot(host, state, snapshotSeq);
    else if (outcome !== undefined && leg.life.draining) notifyOfHandOver(host, session.id);
  };
  return startLeg(host, leg, doWork, { signal, onEnd });
}

/** Tells the readers of this process that another one continues the run. */
function notifyOfHandOver({ handOvers }: Host, sessionId: string): void {
  for (const notify of [...handOvers]) notify(sessionId);
}
