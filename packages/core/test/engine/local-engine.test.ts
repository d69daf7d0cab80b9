import { engineContract, testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { localEngine } from "../../src/store.ts";

describe("localEngine()", () => {
  for (const { name, run } of engineContract(async () => ({ engine: localEngine() }))) it(name, run);

  it("Q1 lets users take turns, however many sessions one of them has", async () => {
    const engine = localEngine();
    const calls: string[] = [];
    for (const id of ["a1", "a2", "a3", "a4", "b1", "b2", "c1"])
      await engine.wake(id, { userId: id.slice(0, 1) });
    const worker = await engine.work(async ({ sessionId }) => void calls.push(sessionId), { concurrency: 1 });
    await worker.stop();
    await expect.poll(() => calls.length).toBe(1);
    await engine.work(async ({ sessionId }) => void calls.push(sessionId), { concurrency: 1 });
    await expect.poll(() => calls).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  });

  it("Q1 wakes at a time of its clock", async () => {
    const clock = testClock();
    const engine = localEngine({ clock });
    const calls: string[] = [];
    await engine.work(async ({ sessionId }) => void calls.push(sessionId), { concurrency: 1 });
    await engine.wake("s1", { afterMs: 60_000 });
    await clock.advance(59_000);
    expect(calls).toEqual([]);
    await clock.advance(1_000);
    expect(calls).toEqual(["s1"]);
  });
});
