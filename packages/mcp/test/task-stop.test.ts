import { memoryStore } from "@pawl/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { dyingStore, has } from "../../core/test/support/stores.ts";
import { connectTo } from "./support/servers.ts";
import { elicit, taskServer } from "./support/task-server.ts";
import { calls, parked, resultOf, settle, world } from "./support/world.ts";

const notes = async (one: ReturnType<typeof world>, sessionId: string) =>
  (await one.of(sessionId, "note")).map(({ data }) => data.text);

describe("a task whose run ends first", () => {
  it("L9 F24 is asked to stop, and the model reads that it may still be running", async () => {
    const served = taskServer(() => undefined);
    const one = world([connectTo(served)], calls("it"));
    const { sessionId } = await one.begin("Go");
    await parked(one, sessionId);
    await one.pawl.stop(sessionId, { userId: "u1" });
    await expect.poll(() => one.of(sessionId, "run_ended")).toHaveLength(1);
    expect(served.cancelled).toEqual(["task_1"]);
    expect(await notes(one, sessionId)).toEqual([
      expect.stringMatching(/c1 of mcp__test__it.*may still be running/),
    ]);
    await one.say("And?", { sessionId });
    expect(JSON.stringify(one.model.requests.at(-1)?.messages)).toMatch(/may still be running/);
    await resultOf(one, sessionId);
  });

  it("L9 F24 is not spoken of if its server confirms that it has stopped", async () => {
    const served = taskServer(() => undefined);
    served.setStops();
    const one = world([connectTo(served)], calls("it"));
    const { sessionId } = await one.begin("Go");
    await parked(one, sessionId);
    await one.pawl.stop(sessionId, { userId: "u1" });
    await expect.poll(() => one.of(sessionId, "run_ended")).toHaveLength(1);
    expect(served.cancelled).toEqual(["task_1"]);
    expect(await notes(one, sessionId)).toEqual([]);
  });

  it("L9 F24 is asked to stop if the run is stopped while the server is asked about it", async () => {
    const stopped = Promise.withResolvers<void>();
    onTestFinished(() => stopped.resolve());
    const served = taskServer(async (_, times) => {
      if (times === 0) await stopped.promise;
    });
    const one = world([connectTo(served)], calls("it"));
    const { sessionId } = await one.begin("Go");
    await parked(one, sessionId);
    await expect.poll(() => served.polls()).toBe(1);
    await one.pawl.stop(sessionId, { userId: "u1" });
    await expect.poll(() => one.of(sessionId, "run_ended")).toHaveLength(1);
    expect(await resultOf(one, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(/outcome .* unknown/),
    });
    expect(served.cancelled).toEqual(["task_1"]);
    expect(await notes(one, sessionId)).toHaveLength(1);
  });

  it("F24 is asked to stop if the user sends a message instead of an answer", async () => {
    const served = taskServer((task) => {
      Object.assign(task, { status: "input_required", inputRequests: { a: elicit("A?") } });
    });
    const one = world([connectTo(served)], calls("it"));
    const { sessionId } = await one.say("Go");
    expect(await settle(one, sessionId)).toMatchObject({ kind: "elicitation" });
    await one.say("Never mind", { sessionId });
    await expect.poll(() => served.cancelled).toEqual(["task_1"]);
    expect(await notes(one, sessionId)).toEqual([expect.stringMatching(/may still be running/)]);
  });

  it("F24 is asked to stop if its server is down, too: the model reads that it may still be running", async () => {
    const served = taskServer(() => undefined);
    const one = world([connectTo(served)], calls("it"));
    const { sessionId } = await one.begin("Go");
    await parked(one, sessionId);
    served.setDown(true);
    await one.pawl.stop(sessionId, { userId: "u1" });
    await expect.poll(() => one.of(sessionId, "run_ended")).toHaveLength(1);
    expect(await notes(one, sessionId)).toHaveLength(1);
  });

  it("F24 is asked to stop by the next process if the first one dies before it could", async () => {
    let clock = Date.now();
    const base = memoryStore({ now: () => clock });
    const dying = dyingStore(base, (events) => has(events, "effect_started"));
    const served = taskServer(() => undefined);
    const first = world([connectTo(served)], calls("it"), { store: dying });
    const { sessionId } = await first.begin("Go");
    await parked(first, sessionId);
    void first.pawl.stop(sessionId, { userId: "u1" });
    await expect.poll(() => dying.dead).toBe(true);
    expect(served.cancelled).toEqual([]);
    clock += 60_000;
    const second = world([connectTo(served)], calls("it").slice(1), { store: base });
    await second.pawl.sweep();
    await expect.poll(() => second.of(sessionId, "run_ended")).toHaveLength(1);
    expect(served.cancelled).toEqual(["task_1"]);
  });

  it("F24 is left alone once the call has its result", async () => {
    const served = taskServer((task) => {
      Object.assign(task, { status: "failed", error: { code: -32_603, message: "No." } });
    });
    const one = world([connectTo(served)], calls("it"));
    const { sessionId } = await one.begin("Go");
    await parked(one, sessionId);
    await settle(one, sessionId);
    expect(await resultOf(one, sessionId)).toMatchObject({ report: { code: "mcp_task_failed" } });
    expect(served.cancelled).toEqual([]);
  });
});
