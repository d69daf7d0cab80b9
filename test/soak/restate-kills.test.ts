import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fleet, newFleet, type WorkerProcess } from "../restate/fleet.ts";
import { NO_RESTATE, RESTATE } from "../restate/restate-server.ts";
import { assertSoundLog, ofType, stops } from "../support/invariants.ts";
import { soak } from "../support/soak.ts";

const KILLS = soak(1, 12);
const SERVER_KILLS = soak(1, 10);
const RUNS = 8;
const soon = { timeout: 20_000, interval: 10 };

if (RESTATE === undefined) console.log(`Workers of Restate are not killed: ${NO_RESTATE}.`);

describe.skipIf(RESTATE === undefined)("kill -9 with the engine over Restate", () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await newFleet(2);
  });
  afterAll(async () => await fleet?.remove());

  const logOf = async (id: string) => await Array.fromAsync(fleet.store.read(id));
  const callsOf = async (id: string) => ofType(await logOf(id), "tool_call").length;
  const isOpen = async (id: string) => (await fleet.store.sessions.get(id))?.openRun !== null;
  const startRuns = async () => {
    const runs = Array.from({ length: RUNS }, () =>
      fleet.web.run("wanderer", { userId: "ada", input: "Go" }),
    );
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
  const givenAfter = ({ given }: WorkerProcess, id: string, since: number) =>
    given.find(({ sessionId, at }) => sessionId === id && at > since)?.at;

  it(
    `Q1 E2 the runs of a worker continue at once in the other one, in ${KILLS} kills`,
    async () => {
      const takeovers: number[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const runs = await startRuns();
        const [killed, other] = [fleet.workers[kill % 2]!, fleet.workers[(kill + 1) % 2]!];
        const killedAt = performance.now();
        await killed.kill();
        const own = runs.ids.filter((id) => givenAfter(killed, id, 0) !== undefined);
        const open = (await Promise.all(own.map(async (id) => ((await isOpen(id)) ? [id] : [])))).flat();
        expect(open.length).toBeGreaterThan(0);
        const takenAt = () => open.map((id) => givenAfter(other, id, killedAt));
        await expect.poll(takenAt, soon).not.toContain(undefined);
        takeovers.push(...takenAt().map((at) => (at ?? 0) - killedAt));
        await assertEnded(runs);
        await fleet.replace(kill % 2);
      }
      takeovers.sort((a, b) => a - b);
      const at = (share: number) => Math.round(takeovers[Math.ceil(takeovers.length * share) - 1] ?? 0);
      soak.report(
        `Restate: ${KILLS} kills of workers, ${takeovers.length} runs were taken over, ${at(0.5)} ms later (median), ${at(0.95)} ms (p95), ${at(1)} ms (longest)`,
      );
    },
    30_000 * KILLS,
  );

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
