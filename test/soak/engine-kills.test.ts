import { type KillOptions, type KillReport, killWorkers, type Waits } from "@pawl/testing/kills";
import { expect, it, onTestFinished } from "vitest";
import { fleets } from "../engine-kills/fleets.ts";
import { NO_RESTATE, RESTATE } from "../restate/restate-server.ts";
import { soak } from "../support/soak.ts";

const IS_SOAK = soak(0, 1) === 1;
const COUNTS: KillOptions = IS_SOAK
  ? { runs: 300, patienceMs: 600_000 }
  : { runs: 6, atATime: 5, kills: 1, freezes: 1 };
const MS = soak(120_000, 1_800_000);

async function killed(
  name: keyof typeof fleets,
  leaseTtlMs: number,
  options: KillOptions = {},
): Promise<KillReport> {
  const fleet = await fleets[name](leaseTtlMs);
  onTestFinished(fleet.close);
  const { close: _, ...given } = fleet;
  const report = await killWorkers(given, { ...COUNTS, ...options });
  soak.report(`${name}, lease ${leaseTtlMs / 1000} s: ${lineOf(report)}`);
  return report;
}

const waits = ({ count, p50, p95, max }: Waits) => `${count} (p50 ${p50}, p95 ${p95}, longest ${max} ms)`;

function lineOf(report: KillReport): string {
  const { runs, kills, freezes, takeoverMs, frozenTakeoverMs, seconds } = report;
  return [
    `${runs} runs in ${seconds} s, ${kills} kills and ${freezes} freezes`,
    `taken over from killed workers: ${waits(takeoverMs)}, from frozen ones: ${waits(frozenTakeoverMs)}`,
    ...(report.redeliveryMs.count > 0
      ? [`given to another worker by the engine: ${waits(report.redeliveryMs)}`]
      : []),
    `${report.recordedAgain} recorded steps again, ${report.effectsTwice} of ${report.effects} effects twice, ${report.unknownOutcomes} outcomes unknown, ${report.stepsAgain} lost steps again`,
    `frozen workers were refused ${report.refused} times, ${report.lateResults} late results discarded`,
    `${report.invalidRequests} of ${report.requests} requests invalid`,
  ].join("; ");
}

const WHAT = "every run ends and nothing is done twice while workers die and freeze";

it(
  `Q1 Q2 E2 P1 ${WHAT}: pg-boss, by its heartbeat`,
  async () => {
    const { faults, redeliveryMs } = await killed("pgBoss", 10_000);
    expect(faults).toEqual([]);
    // A sweep may have been first, but the queue does not forget a session either.
    expect(redeliveryMs.count).toBeGreaterThan(0);
  },
  MS,
);

if (RESTATE === undefined) console.log(`Workers of Restate are not killed: ${NO_RESTATE}.`);

it.skipIf(RESTATE === undefined)(
  `Q1 Q2 E2 P1 ${WHAT}: Restate`,
  async () => {
    const { faults, redeliveryMs } = await killed("restate", 2_000);
    expect(faults).toEqual([]);
    expect(redeliveryMs.count).toBeGreaterThan(0);
  },
  MS,
);

// `npm test` has those that are engines. The others take their sessions over by the sweeps that engines have too.
if (IS_SOAK) {
  it(
    `Q1 Q2 E2 P1 ${WHAT}: sweeps over Postgres`,
    async () => {
      expect((await killed("sweeps", 2_000)).faults).toEqual([]);
    },
    MS,
  );

  it(
    `Q1 Q2 E2 P1 ${WHAT}: pg-boss, by sweeps with short leases`,
    async () => {
      expect((await killed("pgBoss", 1_000)).faults).toEqual([]);
    },
    MS,
  );

  // A process that is frozen in the middle of a write keeps SQLite's lock, so here workers are only killed.
  it(
    "Q1 E2 P1 every run ends and nothing is done twice while workers die: sweeps over a SQLite file",
    async () => {
      expect((await killed("sqlite", 2_000, { freezes: 0 })).faults).toEqual([]);
    },
    MS,
  );
}
