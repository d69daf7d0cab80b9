import { diceFor } from "./dice.ts";
import { checkAtEnd } from "./end-checks.ts";
import { type Fleet, newFleet } from "./fleet.ts";
import { type Plan, planOf } from "./plan.ts";
import { newTimeline, type Timeline } from "./timeline.ts";
import { makeTrouble, type Troubles } from "./trouble.ts";
import type { Witness } from "./witness.ts";

/** What became of a seed. */
export interface Outcome {
  readonly seed: number;
  readonly mode: string;
  /** What must not happen and did. */
  readonly faults: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  /** The last steps before the end, to find the reason. */
  readonly trace: readonly string[];
}

/** How often the witness looks for runs that nobody continues, in milliseconds. */
const LOOK_MS = 500;

/** How long a fleet may take to finish once nothing goes wrong any more, in milliseconds. */
const FINISH_MS = 40 * 60_000;

/** The longest time for which a run may wait for a place, or for the pauses of sweeps, in milliseconds. */
const WAIT_MS = 20 * 60_000;

/** Runs one seed. `begun` gets its timeline, before anything happens. */
export async function simulate(
  seed: number,
  begun: (timeline: Timeline) => void,
  changes: Partial<Plan> = {},
): Promise<Outcome> {
  const timeline = newTimeline(Date.UTC(2026, 10, 1));
  begun(timeline);
  const plan = { ...planOf(seed), ...changes };
  const fleet = newFleet(seed, plan, timeline);
  const troubles = makeTrouble(fleet);
  await beginSessions(fleet);
  watch(fleet, troubles);
  await finish(fleet, timeline.now() + plan.troubleMs);
  const { witness } = fleet;
  if (witness.faults.length === 0) await checkAtEnd(fleet);
  const { faults, trace } = witness;
  return { seed, mode: plan.mode, faults, counts: countsOf(fleet, troubles), trace };
}

/** Creates the sessions. Their users come one after the other. */
async function beginSessions({ seed, plan, database, timeline, users }: Fleet): Promise<void> {
  const dice = diceFor(seed, "sessions");
  for (let number = 0; number < plan.sessions; number += 1) {
    const id = `s${number}`;
    await database.store.sessions.create({ id, userId: `user of ${id}`, agent: "clerk" });
    timeline.after(dice.between(0, plan.troubleMs * 0.6), () => users.begin(id));
  }
}

function watch({ plan, timeline, witness }: Fleet, troubles: Troubles): void {
  // A sweep finds a run after one pause, and may wait for slow answers. The engine may have it elsewhere.
  const isTight = plan.concurrency == null || plan.concurrency >= plan.sessions;
  const idleMs = isTight ? 2 * plan.leaseTtlMs + 3 * plan.engine.heartbeatMs + 20_000 : WAIT_MS;
  const look = () => {
    const { leaseTtlMs } = plan;
    witness.look({ calmSince: troubles.calmSince(), idleMs, waitMs: WAIT_MS, leaseTtlMs });
    timeline.after(LOOK_MS, look);
  };
  look();
}

/** Lets time pass until all users were heard and all runs have ended, and for a while after that. */
async function finish({ timeline, witness, users, plan }: Fleet, calmAt: number): Promise<void> {
  let lookAt = calmAt;
  const isDone = () => {
    if (witness.faults.length > 0) return true;
    if (timeline.now() < lookAt || users.open > 0) return false;
    lookAt = timeline.now() + LOOK_MS;
    return openRuns(witness).length === 0;
  };
  await timeline.run(() => isDone() || timeline.now() > calmAt + FINISH_MS);
  const open = openRuns(witness);
  if (witness.faults.length === 0 && (users.open > 0 || open.length > 0))
    witness.fault(
      `the fleet does not finish: ${users.open} requests are open, and runs of ${open.join(", ")}`,
    );
  // What froze may still have something to say.
  const endsAt = timeline.now() + 4 * plan.leaseTtlMs;
  await timeline.run(() => witness.faults.length > 0 || timeline.now() > endsAt);
}

const openRuns = ({ sessions }: Witness): string[] =>
  [...sessions].filter(([, { row }]) => row.openRun !== null).map(([id]) => id);

function countsOf(fleet: Fleet, { counts }: Troubles): Record<string, number> {
  const { plan, timeline, witness, outside, users, engine, machines } = fleet;
  let events = 0;
  for (const { row } of witness.sessions.values()) events += row.lastSeq ?? 0;
  return {
    machines: machines.length,
    sessions: plan.sessions,
    pairs: machines.length * plan.sessions,
    events,
    effects: outside.total,
    requests: users.requests,
    calls: engine.calls,
    takeovers: witness.takeovers,
    fenced: witness.fencedAppends,
    longestIdleMs: Math.round(witness.longestIdleMs),
    seconds: Math.round((timeline.now() - Date.UTC(2026, 10, 1)) / 1_000),
    steps: timeline.events,
    ...counts,
  };
}
