import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { setup } from "../../support/setup.ts";
import { ask } from "../../support/tools.ts";
import { begin, check, gate, ok } from "../../support/when-busy.ts";

describe("a signal that is shared by many runs", () => {
  const queue = { whenBusy: "queue" } as const;

  it("L9 lets go of its signal once its run is over, whichever leg worked on it", async () => {
    const { work, open } = gate();
    const world = setup([{ tools: [{ name: "work" }] }, ok, ok], { ...queue, tools: [work] });
    const { run, sessionId, say } = await begin(world, "tool_started");
    const { signal } = new AbortController();
    const listening = () => getEventListeners(signal, "abort").length;
    const sent = [say("Second", { signal }), say("Third", { signal })];
    await Promise.all(sent.map(({ started }) => started));
    expect(listening()).toBe(2);
    open();
    await Promise.all([run.result, ...sent.map(({ result }) => result)]);
    expect(listening()).toBe(0);
    await say("Fourth", { signal }).result;
    expect(listening()).toBe(0);
    await check(world, sessionId);
  });

  it("L9 lets go of the signal of an answer that another leg takes", async () => {
    const { work, open } = gate();
    const script = [{ tools: [{ name: "ask", id: "c1" }, { name: "work" }] }, ok];
    const world = setup(script, { ...queue, tools: [ask, work] });
    const { run, sessionId } = await begin(world, "tool_started");
    const { signal } = new AbortController();
    const answers = [{ callId: "c1", value: "yes" }];
    const answered = world.pawl.run("tester", { userId: "u1", sessionId, answers, signal });
    await answered.started;
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    open();
    await Promise.all([run.result, answered.result]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
