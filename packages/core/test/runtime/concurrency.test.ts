import { scriptedModel, strictModel, testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { settled } from "../../../../test/support/settled.ts";
import { agent, agentTool, memoryStore, PawlError, runtime } from "../../src/index.ts";
import { setup, stored, until } from "../support/setup.ts";
import { ask, question } from "../support/tools.ts";
import { clean } from "../support/waits.ts";

/** A model that answers when it is told to, and the inputs that it was asked with. */
function heldModel() {
  const waiting: (() => void)[] = [];
  const asked: string[] = [];
  const active = { now: 0, most: 0 };
  return {
    asked,
    active,
    script: {
      rules: async (request: { messages: readonly { content: unknown }[] }) => {
        asked.push(JSON.stringify(request.messages.at(-1)?.content));
        active.now += 1;
        active.most = Math.max(active.most, active.now);
        await new Promise<void>((resolve) => void waiting.push(resolve));
        active.now -= 1;
        return { text: "Done." };
      },
    },
    release: () => {
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

describe("a runtime with `concurrency`", () => {
  it("Q1 asks the model for at most so many runs at a time, and all runs end", async () => {
    const held = heldModel();
    const { pawl, log } = setup(held.script, {}, { concurrency: 2 });
    const inputs = ["one", "two", "three", "four", "five"];
    const runs = inputs.map((input) => pawl.run("tester", { userId: "u1", input }));
    const started = await Promise.all(runs.map((run) => run.started));
    // All messages are stored, although three runs wait.
    for (const { sessionId } of started) expect((await log(sessionId)).length).toBeGreaterThan(0);
    await until(() => held.asked.length === 2);
    let isOver = false;
    const results = Promise.all(runs.map((run) => run.result)).finally(() => {
      isOver = true;
    });
    await until(() => {
      held.release();
      return isOver;
    });
    for (const { stop, sessionId } of await results) {
      expect(stop.type).toBe("end_turn");
      assertSoundLog(await log(sessionId));
    }
    expect(held.active.most).toBe(2);
  });

  it("Q1 a user with many waiting runs does not keep others waiting", async () => {
    const held = heldModel();
    const { pawl } = setup(held.script, {}, { concurrency: 1 });
    const runs = [];
    for (const [userId, input] of [
      ["ada", "a1"],
      ["ada", "a2"],
      ["ada", "a3"],
      ["ada", "a4"],
      ["bob", "b1"],
    ] as const) {
      const run = pawl.run("tester", { userId, input });
      await run.started;
      runs.push(run.result);
    }
    let isOver = false;
    const all = Promise.all(runs).finally(() => {
      isOver = true;
    });
    await until(() => {
      held.release();
      return isOver;
    });
    await all;
    const order = held.asked.map((text) => text.match(/[ab]\d/)?.[0]);
    // Two runs of the first user have begun or are next before the second user comes.
    expect(order.indexOf("b1")).toBeLessThanOrEqual(3);
    expect(order).toHaveLength(5);
  });

  it("Q1 a run that waits for its turn can be stopped", async () => {
    const held = heldModel();
    const { pawl } = setup(held.script, {}, { concurrency: 1 });
    const first = pawl.run("tester", { userId: "u1", input: "one" });
    await until(() => held.asked.length === 1);
    const stop = new AbortController();
    const second = pawl.run("tester", { userId: "u1", input: "two", signal: stop.signal });
    await second.started;
    stop.abort();
    let isOver = false;
    const both = Promise.all([first.result, second.result]).finally(() => {
      isOver = true;
    });
    await until(() => {
      held.release();
      return isOver;
    });
    expect((await both)[1].stop.type).toBe("aborted");
    expect(held.asked).toHaveLength(1);
  });

  it("Q1 runs that wait in a process that dies are found by a sweep of another one", async () => {
    const store = memoryStore();
    const dead = heldModel();
    const first = setup(dead.script, {}, { store, concurrency: 1, times: { leaseTtlMs: 5_000 } });
    const runs = ["one", "two", "three"].map((input) => first.pawl.run("tester", { userId: "u1", input }));
    const started = await Promise.all(runs.map((run) => run.started));
    await until(() => dead.asked.length === 1);
    // Only the runs that wait: the lease of the first is live.
    const other = setup([{ text: "Done." }, { text: "Done." }], {}, { store, concurrency: 1 });
    expect(await other.pawl.sweep({ wait: true })).toBeGreaterThan(0);
    await until(async () => {
      const rows = await Promise.all(started.slice(1).map(({ sessionId }) => store.sessions.get(sessionId)));
      return rows.every((row) => row?.openRun === null);
    });
    expect(other.model.requests).toHaveLength(2);
    dead.release();
    await runs[0]?.result;
  });

  it("Q1 an answer for a full process is stored, and the run continues in its turn", async () => {
    const held = heldModel();
    const script = {
      rules: async (request: { messages: readonly { content: unknown }[] }) =>
        JSON.stringify(request.messages.at(-1)).includes("Ask me.")
          ? { tools: [question] }
          : await held.script.rules(request),
    };
    const { pawl, answer, say, log } = setup(script, { tools: [ask] }, { concurrency: 1 });
    const asked = await say("Ask me.");
    expect(asked.stop.type).toBe("suspended");
    const busy = pawl.run("tester", { userId: "u1", input: "busy" });
    await until(() => held.asked.length === 1);
    const answered = answer(asked.sessionId, "toolu_q", "blue");
    await until(async () => (await log(asked.sessionId)).some(({ type }) => type === "tool_answered"));
    expect(held.asked).toHaveLength(1);
    let isOver = false;
    const all = Promise.all([busy.result, answered]).finally(() => {
      isOver = true;
    });
    await until(() => {
      held.release();
      return isOver;
    });
    expect((await all)[1].stop.type).toBe("end_turn");
    assertSoundLog(await log(asked.sessionId));
  });

  it("Q1 a sub-agent works in the place of its caller", async () => {
    const helper = agent({
      name: "helper",
      instructions: "Help.",
      model: scriptedModel([{ text: "Helped." }]),
    });
    const boss = agent({
      name: "boss",
      instructions: "Delegate.",
      model: strictModel({
        script: [{ tools: [{ name: "help", input: { task: "x" } }] }, { text: "Done." }],
      }),
      tools: [agentTool({ name: "help", description: "Helps.", agents: () => helper })],
    });
    const pawl = runtime({ agents: [boss, helper], store: memoryStore(), concurrency: 1 });
    const { stop } = await pawl.run("boss", { userId: "u1", input: "Go" }).result;
    expect(stop.type).toBe("end_turn");
  });

  it("Q1 a process that drains leaves the runs that wait to others", async () => {
    const store = memoryStore();
    const held = heldModel();
    const first = setup(held.script, {}, { store, concurrency: 1 });
    const runs = ["one", "two"].map((input) => first.pawl.run("tester", { userId: "u1", input }));
    const started = await Promise.all(runs.map((run) => run.started));
    for (const run of runs) run.result.catch(() => undefined);
    await until(() => held.asked.length === 1);
    const drained = first.pawl.drain({ timeoutMs: 10_000 });
    held.release();
    await drained;
    expect(held.asked).toHaveLength(1);
    const other = setup([{ text: "Done." }], {}, { store });
    expect(await other.pawl.sweep({ wait: true })).toBe(1);
    expect((await store.sessions.get(started[1]?.sessionId ?? ""))?.openRun).toBeNull();
  });
});

describe("a full process", () => {
  it("F26 Q1 goes on while a run waits whose time has come, and that run comes next", async () => {
    const clock = testClock();
    const base = memoryStore({ now: clock.now });
    let opened = 0;
    const open: typeof base.open = async (session) => {
      opened += 1;
      return await base.open?.(session);
    };
    const store = { ...base, open };
    const polls = clean(({ answered, wait }) => answered ?? wait({ afterMs: 60_000, state: {} }));
    const held = heldModel();
    const model = {
      rules: async (request: { messages: readonly { content: unknown }[] }) => {
        const last = JSON.stringify(request.messages.at(-1));
        if (last.includes("wait")) return { tools: [{ name: "clean", id: "c1" }] };
        if (last.includes("busy")) return await held.script.rules(request);
        return { text: "Waited." };
      },
    };
    const world = setup(model, { tools: [polls] }, { store, testing: { clock }, concurrency: 1 });
    const waiting = world.pawl.run("tester", { userId: "u1", input: "wait" });
    const { sessionId } = await waiting.started;
    await stored(world, sessionId, "run_suspended");
    const busy = world.pawl.run("tester", { userId: "u1", input: "busy" });
    await until(() => held.asked.length === 1);
    await clock.advance(60_001);
    // The timer opens the session, finds no place, and gives the run to the engine.
    await until(() => opened === 3);
    await settled();
    held.release();
    expect((await busy.result).stop.type).toBe("end_turn");
    // The leg's log has no event of that time yet, so it waits once more, for no time.
    await until(async () => {
      await clock.advance(1);
      return (await store.sessions.get(sessionId))?.openRun === null;
    });
    expect((await waiting.result).text).toBe("Waited.");
  });

  it("Q1 lets a second user in after one run of the first, also with many places", async () => {
    const held = heldModel();
    const { pawl } = setup(held.script, {}, { concurrency: 3 });
    const runs = [];
    for (const input of ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "b1"]) {
      const run = pawl.run("tester", { userId: input.slice(0, 1), input });
      await run.started;
      runs.push(run.result);
    }
    let isOver = false;
    const all = Promise.all(runs).finally(() => {
      isOver = true;
    });
    await until(() => {
      held.release();
      return isOver;
    });
    await all;
    const order = held.asked.map((text) => text.match(/[ab]\d/)?.[0]);
    expect(order.indexOf("b1")).toBeLessThanOrEqual(4);
    expect(held.active.most).toBe(3);
  });

  it("L9 Q1 ends a run that waits for the user at once if it is stopped", async () => {
    const held = heldModel();
    const model = {
      rules: async (request: { messages: readonly { content: unknown }[] }) =>
        JSON.stringify(request.messages.at(-1)).includes("Ask me.")
          ? { tools: [question] }
          : await held.script.rules(request),
    };
    const { pawl, say, store } = setup(model, { tools: [ask] }, { concurrency: 1 });
    const asked = await say("Ask me.");
    const busy = pawl.run("tester", { userId: "u1", input: "busy" });
    await until(() => held.asked.length === 1);
    await pawl.stop(asked.sessionId, { userId: "u1" });
    await until(async () => (await store.sessions.get(asked.sessionId))?.openRun === null);
    held.release();
    await busy.result;
  });

  it("E3 Q2 tries a run again that it could not read, without a sweep", async () => {
    const base = memoryStore();
    const held = heldModel();
    let fails = false;
    const get = async (id: string) => {
      if (!fails) return await base.sessions.get(id);
      fails = false;
      throw new PawlError("store_unavailable", "down");
    };
    const store = { ...base, sessions: { ...base.sessions, get } };
    const options = { store, concurrency: 1, times: { leaseTtlMs: 30 }, onError: () => undefined };
    const { pawl } = setup(held.script, {}, options);
    const runs = ["one", "two"].map((input) => pawl.run("tester", { userId: "u1", input }));
    await Promise.all(runs.map((run) => run.started));
    await until(() => held.asked.length === 1);
    fails = true;
    let isOver = false;
    const both = Promise.all(runs.map((run) => run.result)).finally(() => {
      isOver = true;
    });
    await until(() => {
      held.release();
      return isOver;
    });
    for (const { stop } of await both) expect(stop.type).toBe("end_turn");
  });
});
