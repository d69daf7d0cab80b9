import { type Reply, testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { crashingStore } from "../../../../../test/support/crashing-store.ts";
import { settled } from "../../../../../test/support/settled.ts";
import { type EventStore, PawlError, tool } from "../../../src/index.ts";
import { asking, type Family, family, ofType, sessionId, task } from "../../support/family.ts";
import { until, user } from "../../support/setup.ts";
import { hang } from "../../support/tools.ts";

describe("an agent as a tool", () => {
  it("works in a session of its own, and its cost is the caller's too", async () => {
    const world = family(
      [{ tools: task("toolu_a", "When?") }, { text: "In 1969." }],
      [{ tools: [{ name: "look", input: { n: 1 } }] }, { text: "It was in 1969." }],
    );
    const result = await world.say();
    expect(result).toMatchObject({ stop: { type: "end_turn" }, text: "In 1969.", turns: 2 });
    expect(result.actions).toMatchObject([{ tool: "researcher", success: true, result: "It was in 1969." }]);
    const child = await world.base.sessions.get(`${sessionId}:toolu_a`);
    expect(child).toMatchObject({
      userId: "u1",
      agent: "host/researcher",
      openRun: null,
      metadata: { parent: { session_id: sessionId, call_id: "toolu_a" } },
    });
    expect(world.callee.requests[0]?.messages).toMatchObject([
      { role: "user", content: [{ text: "When?" }] },
    ]);
    const own = ofType(await world.log(), "llm_response").reduce(
      (sum, { data }) => sum + (data as { cost_cents: number }).cost_cents,
      0,
    );
    const session = await world.base.sessions.get(sessionId);
    expect(result.costUsd).toBeCloseTo(own / 100 + (child?.costUsd ?? 0), 11);
    expect(session?.costUsd).toBe(result.costUsd);
    await world.check();
  });

  it("P1 P4 asks on the caller, is answered there from any process, and may ask again", async () => {
    const world = family(
      [
        { tools: [...task("toolu_a"), { name: "ask", input: { q: "Own?" }, id: "toolu_q" }] },
        { text: "Done." },
      ],
      [asking("First?"), asking("Second?"), { text: "Both are known." }],
    );
    const { pending } = await world.say();
    expect(pending).toMatchObject([
      { callId: "toolu_a", toolName: "researcher", kind: "question", payload: { q: "First?" } },
      { callId: "toolu_q", payload: { q: "Own?" } },
    ]);
    const second = await world.answer("toolu_a", "yes", world.boot());
    expect(second.pending.find(({ callId }) => callId === "toolu_a")?.payload).toEqual({ q: "Second?" });
    const late = world.answer("toolu_a", "no", world.boot());
    const twice = world.answer("toolu_a", "never", world.boot());
    const outcomes = await Promise.allSettled([late, twice]);
    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(1);
    const result = await world.answer("toolu_q", "mine", world.boot());
    expect(result).toMatchObject({ stop: { type: "end_turn" }, text: "Done." });
    expect(result.actions[0]).toMatchObject({ success: true, result: "Both are known." });
    expect(ofType(await world.log(`${sessionId}:toolu_a`), "tool_answered")).toHaveLength(2);
    await world.check();
  });

  it("P5 checks an answer by the schema of the agent's question", async () => {
    const world = family(
      [{ tools: task("toolu_a") }, { text: "Done." }],
      [asking("First?"), { text: "Known." }],
    );
    await world.say();
    const bad = world.boot().run("host", { ...user, sessionId, answers: [{ callId: "toolu_a", value: 7 }] });
    await expect(bad.result).rejects.toThrow(PawlError);
    const foreign = { ...user, sessionId: `${sessionId}:toolu_a`, input: "Hello" };
    await expect(world.boot().run("host", foreign).result).rejects.toMatchObject({ code: "not_found" });
    expect((await world.answer("toolu_a", "yes")).stop.type).toBe("end_turn");
    await world.check();
  });

  it("P5 asks again where the agent's own schema refuses what the one on record has let through", async () => {
    const few = z.object({ text: z.string() }).refine(({ text }) => text.length < 4, "too long");
    const choosy = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({ q: z.string() }),
      suspends: { answer: few },
    });
    const world = family(
      [{ tools: task("toolu_a") }, { text: "Done." }],
      [asking("First?"), { text: "Known." }],
      {
        callee: { tools: [choosy] },
      },
    );
    await world.say();
    const again = await world.answer("toolu_a", "far too long");
    expect(again).toMatchObject({ stop: { type: "suspended" }, pending: [{ payload: { q: "First?" } }] });
    const result = await world.answer("toolu_a", "yes");
    expect(result).toMatchObject({ stop: { type: "end_turn" }, actions: [{ result: "Known." }] });
    await world.check();
  });

  it("T3 refuses an empty task before anybody is asked to do it", async () => {
    const world = family([{ tools: task("toolu_a", " ") }, { text: "Done." }], []);
    const result = await world.say();
    expect(result.actions[0]).toMatchObject({
      success: false,
      result: "The message for the sub-agent is empty.",
    });
    expect(world.callee.requests).toEqual([]);
    await world.check();
  });

  it("O1 charges its caller with what it has cost when it asks, and with the rest in the end, not twice", async () => {
    const world = family(
      [{ tools: task("toolu_a") }, { text: "Done." }],
      [asking("First?"), asking("Second?"), { text: "Known." }],
    );
    const rows = async () => {
      const [own, task] = [
        await world.base.sessions.get(sessionId),
        await world.base.sessions.get(`${sessionId}:toolu_a`),
      ];
      const log = ofType(await world.log(), "llm_response") as { data: { cost_cents: number } }[];
      const asked = log.reduce((sum, { data }) => sum + data.cost_cents, 0);
      return { total: own?.costUsd ?? 0, parts: asked / 100 + (task?.costUsd ?? 0) };
    };
    let result = await world.say();
    for (const answer of ["yes", "no"]) {
      const { total, parts } = await rows();
      expect(total).toBeCloseTo(parts, 11);
      expect(result.costUsd).toBe(total);
      result = await world.answer("toolu_a", answer);
    }
    expect(result.text).toBe("Done.");
    const { total, parts } = await rows();
    expect(total).toBeCloseTo(parts, 11);
    expect(result.costUsd).toBe(total);
    await world.check();
  });

  it("keeps to its slice of the caller's limits", async () => {
    const looks = Array.from({ length: 9 }, (_, n): Reply => ({ tools: [{ name: "look", input: { n } }] }));
    const world = family([{ tools: task("toolu_a") }, { text: "Too bad." }], looks, { slice: { turns: 2 } });
    const result = await world.say();
    expect(result.actions[0]).toMatchObject({ success: false });
    expect(result.actions[0]?.result).toContain("did not finish");
    expect(world.callee.requests).toHaveLength(2);
    const [started] = ofType(await world.log(), "tool_started");
    expect(started?.data).toMatchObject({ slice: { turns: 2 } });
    await world.check();
  });

  it("spends no more than its caller has left, also side by side", async () => {
    const looks = Array.from({ length: 60 }, (_, n): Reply => ({ tools: [{ name: "look", input: { n } }] }));
    const both = [...task("toolu_a"), ...task("toolu_b", "Find out more.")];
    const world = family([{ tools: both }, { text: "Too bad." }], looks, {
      callee: { limits: { turns: 30 }, maxTokens: 500 },
      caller: { limits: { costUsd: 0.03 }, maxTokens: 500 },
    });
    const result = await world.say();
    expect(result.costUsd).toBeLessThanOrEqual(0.03);
    expect(result.actions.map(({ success }) => success)).toEqual([false, false]);
    await world.check();
  });

  it("O1 L6 spends no more than its caller has left where there are more tasks than may run side by side", async () => {
    const looks = Array.from({ length: 60 }, (_, n): Reply => ({ tools: [{ name: "look", input: { n } }] }));
    const all = ["a", "b", "c", "d"].flatMap((name) => task(`toolu_${name}`, `Find out ${name}.`));
    const world = family([{ tools: all }, { text: "Too bad." }], looks, {
      callee: { limits: { turns: 30 }, maxTokens: 500 },
      caller: { limits: { costUsd: 0.06 }, maxTokens: 500, toolConcurrency: 3 },
    });
    const result = await world.say();
    expect(result.costUsd).toBeLessThanOrEqual(0.06);
    const slices = ofType(await world.log(), "tool_started").map(
      ({ data }) => (data as { slice?: { costCents?: number } }).slice?.costCents,
    );
    expect(slices).toHaveLength(4);
    expect(Math.max(...slices.map((slice) => slice ?? 0))).toBeLessThan(4);
    await world.check();
  });

  it("L9 L4 is stopped with its caller, by hand and at the deadline", async () => {
    const clock = testClock();
    const world = family(
      [{ tools: task("toolu_a") }, { text: "Fine." }],
      [{ tools: [{ name: "hang", input: {} }] }],
      {
        callee: { tools: [hang] },
        caller: { limits: { wallClockMs: 5_000 } },
      },
    );
    const running = world.say(world.boot(world.base, { testing: { clock } }));
    while (ofType(await world.log(`${sessionId}:toolu_a`), "tool_started").length === 0)
      await clock.advance(1);
    await clock.advance(5_100);
    expect((await running).stop.type).toBe("deadline");
    await clock.advance(100);
    const child = await world.log(`${sessionId}:toolu_a`);
    expect(ofType(child, "run_ended")).toMatchObject([{ data: { stop: { type: "aborted" } } }]);
    await world.check();
  });

  it("leaves the task to another process when its own goes down", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = tool({
      name: "slow",
      description: "Is slow.",
      input: z.object({}),
      execute: async (_, { signal }) => {
        await promise;
        return signal.aborted ? "aborted" : "seen";
      },
    });
    const world = family(
      [{ tools: task("toolu_a") }, { text: "Done." }],
      [{ tools: [{ name: "slow", input: {} }] }, { text: "Known." }],
      { callee: { tools: [slow] } },
    );
    const pawl = world.boot();
    const running = world.say(pawl);
    running.catch(() => undefined);
    const childLog = () => world.log(`${sessionId}:toolu_a`);
    await until(async () => ofType(await childLog(), "tool_started").length > 0);
    const draining = pawl.drain();
    await settled();
    resolve();
    await draining;
    expect(ofType(await world.log(), "run_ended")).toEqual([]);
    expect(ofType(await childLog(), "run_ended")).toEqual([]);
    expect(ofType(await childLog(), "tool_result")).toMatchObject([{ data: { result: "seen" } }]);
    expect((await survive(world, world.base)) >= 0).toBe(true);
    const result = ofType(await world.log(), "tool_result");
    expect(result).toMatchObject([{ data: { success: true, result: "Known." } }]);
    await world.check();
  });

  it("C11 goes on after a crash although the task is put in other words then", async () => {
    for (let at = 1; at <= 14; at += 1) {
      const message = ({ task: text }: { task: string }) => `${text} ${crypto.randomUUID()}`;
      const world = family([{ tools: task("toolu_a") }, { text: "Done." }], [{ text: "Known." }], {
        delegate: { input: z.object({ task: z.string() }), message },
      });
      await survive(world, crashingStore(world.base, at, "after"));
      expect(ofType(await world.log(), "tool_result")).toMatchObject([
        { data: { success: true, result: "Known." } },
      ]);
      expect(ofType(await world.log(`${sessionId}:toolu_a`), "user_message")).toHaveLength(1);
      await world.check();
    }
  });

  it("C11 goes on after a crash before and after every append, in the caller's log and in the task's", async () => {
    const script: [Reply[], Reply[]] = [
      [
        { tools: [...task("toolu_a"), { name: "ask", input: { q: "Own?" }, id: "toolu_q" }] },
        { text: "Done." },
      ],
      [{ tools: [{ name: "look", input: { n: 1 } }] }, asking("First?"), { text: "Known." }],
    ];
    let crashes = 0;
    for (const when of ["before", "after"] as const) {
      for (let at = 1; at <= 40; at += 1) {
        const world = family(...script);
        crashes += await survive(world, crashingStore(world.base, at, when));
        await world.check();
        expect(ofType(await world.log(), "run_ended")).toMatchObject([
          { data: { stop: { type: "end_turn" } } },
        ]);
        expect(new Set(world.ran).size).toBe(world.ran.length);
      }
    }
    expect(crashes).toBe(36);
  }, 60_000);
});

/** What a user and a supervisor do until the run has ended. */
async function survive(world: Family, store: EventStore): Promise<number> {
  let pawl = world.boot(store);
  let crashes = 0;
  for (let round = 0; round < 30; round += 1) {
    try {
      const log = await world.log();
      if (ofType(log, "run_ended").length > 0) return crashes;
      if (ofType(log, "user_message").length === 0) await world.say(pawl);
      if ((await pawl.sweep()) > 0)
        for await (const _ of pawl.follow(sessionId, { afterSeq: log.length, untilIdle: true }));
      const [question] = (await pawl.view(sessionId, user)).pending;
      if (question !== undefined) await world.answer(question.callId, "yes", pawl);
    } catch (error) {
      if (!PawlError.is(error, "store_unavailable") && !PawlError.is(error, "session_busy")) throw error;
      crashes += 1;
      pawl = world.boot();
    }
  }
  throw new Error("the run does not come to an end");
}
