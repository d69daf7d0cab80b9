import { beforeEach, describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { type Clock, type ModelClient, memoryStore, systemClock, tool } from "../../src/index.ts";
import { allowFailedHooks } from "../support/hooks.ts";
import { never, setup, stored, until, user } from "../support/setup.ts";
import { failingStore, has } from "../support/stores.ts";
import { ask, nothing } from "../support/tools.ts";

beforeEach(allowFailedHooks);

/** A wait that no other part of a runtime needs, and a clock that does not wait so long. */
const LONG_MS = 1_000_000_000;
const impatient: Clock = {
  now: systemClock.now,
  after: (ms, then, options) => systemClock.after(ms === LONG_MS ? 0 : ms, then, options),
};

describe("recovery", () => {
  it("P1 P3 resumes a turn that died with a question and a running tool, up to the question", async () => {
    let clock = 0;
    const store = memoryStore({ now: () => clock });
    const slow = tool({ name: "slow", description: "", input: nothing, execute: never });
    const script = [
      {
        tools: [
          { name: "ask", id: "toolu_q" },
          { name: "slow", id: "toolu_s" },
        ],
      },
    ];
    const old = setup(script, { tools: [ask, slow] }, { store });
    const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(old, sessionId, "tool_started");
    clock += 60_000;
    const next = setup([{ text: "Done." }], { tools: [ask, slow] }, { store });
    expect(await next.pawl.sweep()).toBe(1);
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "suspended", pending: 1 });
    expect((await next.answer(sessionId, "toolu_q", "yes")).stop.type).toBe("end_turn");
    expect(next.model.rejected).toEqual([]);
  });

  it("L13 O2 charges an answer that was lost, in tokens and in money, by its estimate", async () => {
    let clock = 0;
    const store = memoryStore({ now: () => clock });
    const pricing = { input: 2, output: 2, cacheRead: 2, cacheWrite5m: 2, cacheWrite1h: 2 };
    const priced = (model: ModelClient): ModelClient => ({ ...model, pricing });
    const stalled = (): ModelClient => ({
      id: "stalled",
      pricing,
      stream: async function* () {
        yield await never();
      },
    });
    const old = setup([], {}, { store }, stalled);
    const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(old, sessionId, "llm_request");
    clock += 60_000;
    const next = setup([{ text: "Done." }], {}, { store }, priced);
    await next.pawl.sweep();
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
    const [lost] = await next.of(sessionId, "llm_request");
    const [end] = await next.of(sessionId, "run_ended");
    const [answer] = await next.of(sessionId, "llm_response");
    const estimate = lost?.data.estimated_tokens ?? 0;
    expect(estimate).toBeGreaterThan(0);
    expect(lost?.data.estimated_cost_cents).toBeCloseTo((estimate * 2) / 10_000, 9);
    expect(end?.data.cost_cents).toBeCloseTo((answer?.data.cost_cents ?? 0) + (estimate * 2) / 10_000, 9);
  });

  it("releases the session when resuming it fails", async () => {
    let clock = 0;
    const base = memoryStore({ now: () => clock });
    const old = setup([{ text: "x", fault: { stall: 1 } }], {}, { store: base });
    const { sessionId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(old, sessionId, "llm_request");
    clock += 60_000;
    let down = true;
    const store = failingStore(base, (events) => down && has(events, "run_recovered"));
    const next = setup([{ text: "Here." }], {}, { store, onError: () => undefined });
    await expect(next.say("Hello?", { sessionId })).rejects.toThrow(/still being answered/);
    down = false;
    expect(await next.pawl.sweep()).toBe(1);
  });

  it("tries an append again that the store could not take, and loses no result", async () => {
    let failures = 2;
    const store = failingStore(memoryStore(), (events) => has(events, "tool_result") && failures-- > 0);
    const work = tool({ name: "work", description: "", input: nothing, execute: () => "precious" });
    const world = setup(
      [{ tools: [{ name: "work" }] }, { text: "Ok." }],
      { tools: [work] },
      { store, times: { storeRetryMs: [1, LONG_MS] }, testing: { clock: impatient } },
    );
    const { actions, stop } = await world.say("Go");
    expect({ stop: stop.type, result: actions[0]?.result }).toEqual({ stop: "end_turn", result: "precious" });
  });

  it("L15 gives a message that is sent again the result of its own run, whatever came after it", async () => {
    const { pawl, store, say } = setup([{ text: "First." }, { text: "Second." }]);
    const { id: sessionId } = await store.sessions.create({ id: "s1", userId: "u1", agent: "tester" });
    const first = await say("One", { sessionId, clientMessageId: "m1" });
    await say("Two", { sessionId, clientMessageId: "m2" });
    expect(
      await pawl.run("tester", { ...user, sessionId, input: "One", clientMessageId: "m1" }).result,
    ).toEqual(first);
  });

  it("L9 a stop request that comes too late does not stop the next run", async () => {
    const { pawl, store, say } = setup([{ text: "First." }, { text: "Second one", delayPerEventMs: 3 }]);
    const { sessionId, runId } = await say("One");
    const run = pawl.run("tester", { ...user, sessionId, input: "Two" });
    await run.started;
    await store.append(sessionId, [{ type: "stop_requested", data: { run_id: runId } }], {
      appendId: "late",
    });
    expect((await run.result).stop.type).toBe("end_turn");
  });

  it.each([
    ["deps", (deps: typeof never) => setup([], {}, { deps })],
    [
      "a hook",
      (onError: typeof never) => setup([{ fault: { status: 500 } }], { hooks: [{ name: "hangs", onError }] }),
    ],
  ])("L9 stops although %s never settles", async (title, make) => {
    if (title === "a hook") expectPrinted("pawl: Internal server error");
    const hanging = Promise.withResolvers<void>();
    const { pawl, of } = make(() => {
      hanging.resolve();
      return never();
    });
    const run = pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    await hanging.promise;
    await pawl.stop(sessionId, user);
    expect((await run.result).sessionId).toBe(sessionId);
    expect(await of(sessionId, "run_ended")).toHaveLength(1);
  });

  it("L9 the signal of an answer stops the run that takes it up, wherever that is", async () => {
    const slow = tool({
      name: "slow",
      description: "",
      input: nothing,
      execute: (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve)),
    });
    const world = setup([{ tools: [{ name: "ask", id: "toolu_q" }, { name: "slow" }] }], {
      tools: [ask, slow],
    });
    const { pawl, of } = world;
    const run = pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    await stored(world, sessionId, "tool_started");
    const control = new AbortController();
    const answering = pawl.run("tester", {
      ...user,
      sessionId,
      answers: [{ callId: "toolu_q", value: "yes" }],
      signal: control.signal,
    });
    await answering.started;
    control.abort();
    expect((await run.result).stop.type).toBe("aborted");
    expect(await of(sessionId, "run_ended")).toHaveLength(1);
  });

  it("P5 takes an answer to a question whose tool is gone, by the schema on record", async () => {
    const { say, store } = setup([{ tools: [{ name: "ask", id: "toolu_q" }] }], { tools: [ask] });
    const { sessionId } = await say("Go");
    const deployed = setup([{ text: "Ok." }], {}, { store });
    await expect(deployed.answer(sessionId, "toolu_q", 5)).rejects.toThrow(/does not match/);
    expect((await deployed.answer(sessionId, "toolu_q", "yes")).stop.type).toBe("end_turn");
    expect(deployed.model.rejected).toEqual([]);
  });

  it("E3 leaves a session that failed in status error, even if a tool had completed it", async () => {
    expectPrinted("pawl: Internal server error");
    const complete = tool({
      name: "complete",
      description: "",
      input: nothing,
      execute: (_, { completeSession }) => completeSession(),
    });
    const { say, store } = setup([{ tools: [{ name: "complete" }] }, { fault: { status: 500 } }], {
      tools: [complete],
    });
    const { sessionId } = await say("Bye");
    expect((await store.sessions.get(sessionId))?.status).toBe("error");
    await store.append(sessionId, [{ type: "note", data: { text: "" } }], {
      appendId: "x",
      session: { status: "expired" },
    });
    await expect(say("Hi", { sessionId })).rejects.toThrow(/expired/);
  });

  it("E3 finds the newest session that is active or suspended", async () => {
    const { pawl, store } = setup([]);
    const make = async (id: string, status: "active" | "suspended" | "completed") => {
      await store.sessions.create({ id, userId: "u1", agent: "tester" });
      await store.append(id, [{ type: "note", data: { text: "" } }], { appendId: id, session: { status } });
    };
    await make("old", "active");
    await make("newest open", "suspended");
    await make("done", "completed");
    expect((await pawl.getOrCreateSession("tester", "u1")).id).toBe("newest open");
  });

  it("a listener that throws keeps no other from listening", async () => {
    const { pawl } = setup([{ text: "Hi." }]);
    const seen: string[] = [];
    const thrown = new Promise((resolve) => process.once("uncaughtException", resolve));
    const run = pawl.run("tester", { ...user, input: "Go" });
    run.on("run_started", () => {
      throw new Error("listener");
    });
    run.on("run_started", () => seen.push("started"));
    run.on("run_ended", () => seen.push("ended"));
    await run.result;
    expect(await thrown).toMatchObject({ message: "listener" });
    await until(() => seen.includes("ended"));
    expect(seen).toEqual(["started", "ended"]);
  });

  it("calls a listener no more once it is taken off, and each of its registrations before", async () => {
    const { pawl } = setup([{ text: "Hi." }]);
    const seen: string[] = [];
    const started = () => seen.push("started");
    const never = () => seen.push("never");
    const run = pawl.run("tester", { ...user, input: "Go" });
    run.on("run_started", started).on("run_started", started);
    run.on("run_ended", never).off("run_ended", never);
    await run.result;
    expect(seen).toEqual(["started", "started"]);
  });
});
