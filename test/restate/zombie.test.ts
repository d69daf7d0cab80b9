import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertSoundLog, ofType, stops } from "../support/invariants.ts";
import { type Fleet, newFleet } from "./fleet.ts";
import { NO_RESTATE, RESTATE } from "./restate-server.ts";

const soon = { timeout: 20_000 };

if (RESTATE === undefined) console.log(`A frozen worker of Restate is not tested: ${NO_RESTATE}.`);

describe.skipIf(RESTATE === undefined)("a worker of Restate that is frozen", () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await newFleet(2);
  });
  afterAll(async () => await fleet?.remove());

  it("Q1 E2 loses its run to another worker, and cannot continue it once it wakes up", async () => {
    const { web, store, workers } = fleet;
    const run = web.run("wanderer", { userId: "ada", input: "Go" });
    const { sessionId } = await run.started;
    const log = async () => await Array.fromAsync(store.read(sessionId));
    await expect.poll(async () => ofType(await log(), "tool_result").length, soon).toBeGreaterThan(0);
    const frozen = workers.find(({ given }) => given.length > 0)!;
    const other = workers.find((worker) => worker !== frozen)!;

    frozen.signal("SIGSTOP");
    expect((await run.result).text).toBe("Arrived.");
    expect(other.given.map(({ sessionId }) => sessionId)).toEqual([sessionId]);
    const ended = await log();
    assertSoundLog(ended);
    expect(stops(ended)).toEqual(["end_turn"]);

    expect(frozen.fenced).toBe(0);
    frozen.signal("SIGCONT");
    await expect.poll(() => frozen.fenced, soon).toBeGreaterThan(0);
    await sleep(500);
    // Without the lease it may only note that a result came too late.
    const added = (await log()).slice(ended.length);
    expect(ofType(added, "error").map(({ data }) => data.code)).toEqual(added.map(() => "late_result"));
  });
});
