import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildSimulation } from "../simulation/build.ts";
import { plantedBugs } from "../simulation/planted-bugs.ts";
import { described, newFolder, runSeeds, seedsFrom, sumOf } from "../simulation/programs.ts";
import type { Outcome } from "../simulation/simulate.ts";
import { soak } from "../support/soak.ts";

// `PAWL_SEED=7` runs one seed, and prints what has happened in it.
const { PAWL_SEED } = process.env;
const COUNT = soak(8, 1_000);
const MOST_SEEDS = soak(40, 100);

describe("a fleet of machines over virtual time", () => {
  const folder = newFolder();
  let path = "";
  beforeAll(async () => {
    path = await buildSimulation(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("Q1 Q2 E2 F25 ends every run, does nothing twice and loses no wake, whatever happens to machines", async () => {
    const seeds = PAWL_SEED === undefined ? seedsFrom(1, COUNT) : [Number(PAWL_SEED)];
    const half = Math.ceil(seeds.length / 2);
    const lines = PAWL_SEED === undefined ? 0 : 200_000;
    const parts = [seeds.slice(0, half), seeds.slice(half)].filter(({ length }) => length > 0);
    const outcomes = (await Promise.all(parts.map((part) => runSeeds(path, { seeds: part, lines })))).flat();
    for (const { trace } of outcomes) if (trace.length > 0) console.log(trace.join("\n"));
    reportSeeds(outcomes);
    expect(outcomes).toHaveLength(seeds.length);
    expect(outcomes.filter(({ faults }) => faults.length > 0).map(described)).toEqual([]);
  });

  it("Q1 Q2 Q3 does so with very many machines at a time, all of which sweep", async () => {
    const machines = soak(60, 10_000);
    const often = 1_000_000 / machines;
    const changes = {
      machines,
      sessions: soak(12, 500),
      troubleMs: 30_000,
      mode: "sweeps",
      concurrency: null,
      every: {
        ...{ crash: often, freeze: often, deploy: often, cutOff: often, clockStep: often },
        ...{ storeSlow: 20_000, storeDown: 40_000, storeClockStep: 60_000, engineDown: 1_000_000_000 },
      },
    } as const;
    const [outcome] = await runSeeds(path, { seeds: [424_242], changes });
    const { counts, faults } = outcome as Outcome;
    soak.report(
      `${machines} machines at a time and ${counts.sessions} sessions: ${counts.machines} machines in all, ${troublesIn(counts)}; ${counts.events} events, ${counts.takeovers} take-overs, ${faults.length} faults.`,
    );
    expect(faults).toEqual([]);
  });

  it("Q1 gives one seed the same course each time", async () => {
    const [first, second] = await Promise.all([
      runSeeds(path, { seeds: [5], lines: 200_000 }),
      runSeeds(path, { seeds: [5], lines: 200_000 }),
    ]);
    expect(first[0]?.trace.length).toBeGreaterThan(100);
    expect(second).toEqual(first);
  });

  it.each(plantedBugs)("Q1 Q2 finds this bug: $name", async (bug) => {
    const mutant = await buildSimulation(folder, bug);
    const others = seedsFrom(1, MOST_SEEDS).filter((seed) => seed !== bug.seed);
    const outcomes = await runSeeds(mutant, { seeds: [bug.seed, ...others], untilFault: true });
    const last = outcomes.at(-1) as Outcome;
    expect(last.faults.length, `not found in ${outcomes.length} seeds`).toBeGreaterThan(0);
    soak.report(`Found "${bug.name}": seed ${last.seed}, ${last.faults[0]?.split("\n")[0]?.slice(0, 160)}`);
  });
});

const KINDS = ["crash", "freeze", "deploy", "cutOff", "clockStep"] as const;

const troublesIn = (counts: Outcome["counts"]): string =>
  KINDS.map((kind) => `${counts[kind] ?? 0} × ${kind}`).join(", ");

function reportSeeds(outcomes: readonly Outcome[]): void {
  const sum = (name: string) => sumOf(outcomes, name);
  const kinds = KINDS.map((kind) => `${sum(kind)} × ${kind}`);
  const central = ["storeDown", "storeSlow", "storeClockStep", "engineDown"];
  const faulty = outcomes.filter(({ faults }) => faults.length > 0);
  soak.report(
    `${outcomes.length} seeds, ${sum("machines")} machines, ${sum("sessions")} sessions, ${sum("pairs")} pairs of a machine and a session, ${sum("seconds")} simulated seconds: ${faulty.length} seeds with a fault.`,
  );
  soak.report(
    `${sum("events")} events, ${sum("effects")} effects, ${sum("takeovers")} take-overs, ${sum("fenced")} fenced appends, ${sum("calls")} wakes by an engine.`,
  );
  soak.report(`${[...kinds, ...central.map((kind) => `${sum(kind)} × ${kind}`)].join(", ")}.`);
  for (const outcome of faulty.slice(0, 5)) soak.report(described(outcome).split("\n")[0] as string);
}
