import { diceFor } from "./dice.ts";
import type { EngineHabits } from "./fleet-engine.ts";

/** How the runs of a seed are woken. `places`: by the engine in the memory of each process. */
export type Mode = "sweeps" | "places" | "queue" | "exclusive";

/** What a seed contains. Times are in milliseconds. */
export interface Plan {
  readonly mode: Mode;
  /** The machines that are up at a time. */
  readonly machines: number;
  readonly sessions: number;
  /** How long users begin sessions and things go wrong. Then the fleet has to finish. */
  readonly troubleMs: number;
  readonly leaseTtlMs: number;
  readonly handOverAfterMs: number | undefined;
  /** The places of a machine. */
  readonly concurrency: number | undefined | null;
  /** How far all clocks of the machines are ahead of the store's, and how far each differs from that. */
  readonly fleetOffsetMs: number;
  readonly spreadMs: number;
  /** The most that a clock gains in a millisecond. */
  readonly drift: number;
  readonly engine: EngineHabits;
  /** The mean time between two troubles of a kind. */
  readonly every: Readonly<Record<Trouble, number>>;
}

export type Trouble =
  | "crash"
  | "freeze"
  | "deploy"
  | "cutOff"
  | "clockStep"
  | "storeDown"
  | "storeSlow"
  | "storeClockStep"
  | "engineDown";

const NEVER = Number.POSITIVE_INFINITY;

/** Returns what a seed contains. Most have 3 to 10 machines up at a time, one in 25 has 30 to 60. */
export function planOf(seed: number): Plan {
  const dice = diceFor(seed, "plan");
  const mode = dice.pick<Mode>(["sweeps", "places", "queue", "queue", "exclusive", "exclusive"]);
  const machines = dice.chance(0.04) ? dice.whole(30, 60) : dice.whole(3, 10);
  const sessions = dice.whole(10, 36);
  const isScarce = dice.chance(0.3);
  const own = mode === "queue" || mode === "exclusive";
  // A trouble of a machine comes more often where there are more of them.
  const often = (seconds: number, chance: number) =>
    dice.chance(chance) ? (seconds * 1_000 * 6) / machines : NEVER;
  const seldom = (seconds: number, chance: number) => (dice.chance(chance) ? seconds * 1_000 : NEVER);
  const leaseTtlMs = dice.pick([3_000, 10_000, 10_000, 15_000]);
  return {
    mode,
    machines,
    sessions,
    troubleMs: 120_000,
    leaseTtlMs,
    handOverAfterMs: dice.chance(0.3) ? Math.round(dice.between(10_000, 60_000)) : undefined,
    concurrency: own || mode === "places" ? (isScarce ? dice.whole(1, 4) : 50) : undefined,
    fleetOffsetMs: dice.pick([0, 0, 0, -300_000, 300_000]),
    spreadMs: dice.pick([50, 2_000, 2_000, 60_000]),
    drift: dice.pick([0.000_1, 0.01]),
    engine: {
      isExclusive: mode === "exclusive",
      heartbeatMs: dice.pick([2_000, 10_000]),
      lost: dice.pick([0, 0.02, 0.2]),
      twice: dice.pick([0, 0.05]),
      mistaken: dice.pick([0, 0, 0.05]),
      offsetMs: dice.pick([0, 0, -3_000, 3_000]),
      // Each sweep of a machine without a free place wakes the session.
      idleCalls: 60 + Math.ceil((machines * 10_000) / leaseTtlMs),
    },
    every: {
      crash: often(15, 0.8),
      freeze: often(12, 0.7),
      deploy: often(40, 0.5),
      cutOff: often(30, 0.4),
      clockStep: often(30, 0.3),
      storeDown: seldom(50, 0.4),
      storeSlow: seldom(40, 0.5),
      storeClockStep: seldom(60, 0.2),
      engineDown: own ? seldom(50, 0.4) : NEVER,
    },
  };
}
