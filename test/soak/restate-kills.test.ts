import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fleet, newFleet } from "../restate/fleet.ts";
import { NO_RESTATE, RESTATE } from "../restate/restate-server.ts";
import { assertSoundLog, ofType, stops } from "../support/invariants.ts";
import { soak } from "../support/soak.ts";

const SERVER_KILLS = soak(1, 10);
const RUNS = 8;
const soon = { timeout: 20_000, interval: 10 };

if (RESTATE === undefined) console.log(`The Restate server is not killed: ${NO_RESTATE}.`);

describe.skipIf(RESTATE === undefined)("kill -9 of the Restate server", () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await newFleet(2);
  });
  afterAll(async () => await fleet?.remove());

  const logOf = async (id: string) => await Array.fromAsync(fleet.store.read(id));
  const callsOf = async (id: string) => ofType(await logOf(id), "tool_call").length;
  const startRuns = async () => {
    const runs = Array.from({ length: RUNS }, () => fleet.web.run("walker", { userId: "ada", input: "Go" }));
    const ids = await Promise.all(runs.map(async ({ started }) => (await started).sessionId));
    for (const id of ids) await expect.poll(() => callsOf(id), soon).toBeGreaterThan(0);
    return { ids, results: Promise.all(runs.map(({ result }) => result)) };
  };
  const assertEnded = async ({ ids, results }: Awaited<ReturnType<typeof startRuns>>) => {
    expect((await results).map(({ stop, text }) => `${stop.type}: ${text}`)).toEqual(
      ids.map(() => "end_turn: Arrived."),
    );
    for (const id of ids) {
      const log = await logOf(id);
      assertSoundLog(log);
      expect(stops(log)).toEqual(["end_turn"]);
    }
  };

  it(
    `Q1 E2 every run ends in ${SERVER_KILLS} kills of the Restate server`,
    async () => {
      const seconds: number[] = [];
      for (let kill = 0; kill < SERVER_KILLS; kill += 1) {
        const runs = await startRuns();
        const killedAt = performance.now();
        await fleet.restate.kill();
        await fleet.restate.start();
        await assertEnded(runs);
        seconds.push((performance.now() - killedAt) / 1000);
      }
      soak.report(
        `Restate: ${SERVER_KILLS} kills of the server, all runs had ended after ${Math.max(...seconds).toFixed(1)} s at most`,
      );
    },
    60_000 * SERVER_KILLS,
  );
});
