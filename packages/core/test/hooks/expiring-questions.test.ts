import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { approval, type Hook, jsonSchema, memoryStore, type Schema, tool } from "../../src/index.ts";
import type { Expiry } from "../../src/tools.ts";
import { family, task } from "../support/family.ts";
import { until, user } from "../support/setup.ts";
import { nothing } from "../support/tools.ts";
import { answersOf, boot, clean, isOver, polling, resultOf, yes } from "../support/waits.ts";

const expires = { afterMs: 60_000, default: { ok: false } };

describe("questions of tools and hooks that expire", () => {
  it("F26 an approval gets its declared default, and the model reads why", async () => {
    const limit = { afterMs: 60_000, default: { approved: false, reason: "Nobody was there." } };
    const hooks = [approval({ when: ["clean"], expires: limit })];
    const world = boot([clean(() => "cleaned")], { options: { hooks } });
    const { sessionId, pending } = await world.say("Go");
    expect(pending).toMatchObject([{ kind: "approval", expires: { default: limit.default } }]);
    await world.clock.advance(60_001);
    expect(await isOver(world, sessionId)).toBe(true);
    expect(await resultOf(world, sessionId)).toMatchObject({
      success: false,
      result: "The user did not approve this call: Nobody was there.",
    });
  });

  it("F26 a tool with `suspends` runs with the default as its answer", async () => {
    const asks = tool({
      name: "clean",
      description: "",
      input: nothing,
      suspends: { answer: yes, expires },
      execute: (_, { answer }) => answer,
    });
    const world = boot([asks]);
    const { sessionId } = await world.say("Go");
    await world.clock.advance(60_001);
    expect(await resultOf(world, sessionId)).toMatchObject({ success: true, result: { ok: false } });
  });

  it("F26 F20 a hook's question about the run is answered with its default, once", async () => {
    const seen: unknown[] = [];
    const asks: Hook = {
      name: "asks",
      beforeRun: ({ answer }) => {
        seen.push(answer);
        return answer === undefined
          ? { ask: { kind: "choice", payload: {}, answer: yes, expires } }
          : undefined;
      },
    };
    const world = boot([], { left: [{ text: "Ok." }], options: { hooks: [asks] } });
    const { sessionId } = await world.say("Go");
    await world.clock.advance(60_001);
    expect(await isOver(world, sessionId)).toBe(true);
    expect(seen).toEqual([undefined, { ok: false }]);
    expect(await answersOf(world, sessionId)).toEqual([{ value: { ok: false }, expired: true }]);
  });

  it("F26 refuses a default that does not match, and an invalid time, where it can", async () => {
    expectPrinted(
      "The `default` of `expires` of `ask` does not match",
      "`expires` of `ask` needs either `afterMs`",
    );
    const wrong = { afterMs: 1, default: { ok: "no" } } as Expiry;
    const none = { default: { ok: true } } as unknown as Expiry;
    const suspends = (limit: Expiry) =>
      tool({ name: "a", description: "", input: nothing, suspends: { answer: yes, expires: limit } });
    for (const limit of [wrong, none]) {
      expect(() => suspends(limit)).toThrow(expect.objectContaining({ code: "config" }));
      const asks: Hook = {
        name: "asks",
        beforeRun: () => ({ ask: { kind: "choice", payload: {}, answer: yes, expires: limit } }),
      };
      const world = boot([], { left: [], options: { hooks: [asks] } });
      expect((await world.say("Go")).stop.type).toBe("error");
    }
    const noTime = { expires: { default: { approved: true } } } as never;
    expect(() => approval({ when: [], ...(noTime as object) })).toThrow(
      expect.objectContaining({ code: "config" }),
    );
    const asksWrong = clean(({ ask }) => ask({ kind: "k", payload: {}, answer: yes, expires: wrong }));
    const world = boot([asksWrong]);
    const { sessionId } = await world.say("Go");
    expect(await resultOf(world, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(/does not match the answer's schema/),
    });
  });

  it("F26 a wrong default that only the log's schema shows ends the run instead of asking without end", async () => {
    const late: Schema = {
      "~standard": { ...yes["~standard"], validate: async (value) => await yes["~standard"].validate(value) },
    };
    const asks: Hook = {
      name: "asks",
      beforeRun: ({ answer }) =>
        answer === undefined
          ? { ask: { kind: "choice", payload: {}, answer: late, expires: { ...expires, default: 5 } } }
          : undefined,
    };
    const reported: unknown[] = [];
    const onError = (error: unknown) => reported.push(error);
    const world = boot([], { left: [], options: { hooks: [asks] }, onError });
    const { sessionId } = await world.say("Go");
    await world.clock.advance(60_001);
    expect(await isOver(world, sessionId)).toBe(true);
    expect(String(reported[0])).toMatch(/The default of the question "choice" .* does not match its schema/);
    expect(await world.of(sessionId, "tool_suspended")).toHaveLength(1);
  });
});

describe("sub-agents that ask with a limit, or wait", () => {
  const asks = tool({
    name: "work",
    description: "",
    input: nothing,
    suspends: {
      answer: jsonSchema({ type: "object" }),
      expires: { afterMs: 30_000, default: { none: true } },
    },
  });

  it.each([
    ["asks", asks, { none: true }],
    ["waits", clean(polling), { value: null, questions: 3 }],
  ])(
    "F26 one that %s goes on through its caller's call, also in another process",
    async (_, work, outcome) => {
      const world = family(
        [{ tools: task("c1") }, { text: "All done." }],
        [{ tools: [{ name: work.name, id: "c2" }] }, { text: "Found." }],
        { callee: { tools: [work] } },
      );
      const first = world.boot();
      await world.base.sessions.create({ id: "s1", userId: "u1", agent: "host" });
      const run = first.run("host", { ...user, sessionId: "s1", input: "Go" });
      run.result.catch(() => undefined);
      await until(async () => (await world.log()).some(({ type }) => type === "run_suspended"));
      const { pending } = await first.view("s1", user);
      expect(pending).toMatchObject(work === asks ? [{ expires: { default: { none: true } } }] : []);
      await first.drain();
      for (let round = 0; round < 6; round += 1) {
        const pawl = world.boot();
        const before = (await world.log()).length;
        if ((await pawl.sweep()) === 0) break;
        for await (const event of pawl.follow("s1", { afterSeq: before }))
          if (event.type === "run_suspended" || event.type === "run_ended") break;
        await pawl.drain();
      }
      await world.check();
      const results = async (id: string) =>
        (await world.log(id)).filter(({ type }) => type === "tool_result");
      expect((await results("s1:c1"))[0]?.data).toMatchObject({ success: true, result: outcome });
      expect((await results("s1"))[0]?.data).toMatchObject({ success: true, result: "Found." });
    },
  );
});

describe("a sub-agent that waits for several things in one turn", () => {
  it("F26 goes on when the first of several waits is over", async () => {
    const polls = (name: string, afterMs: number) =>
      tool({
        name,
        description: "",
        input: nothing,
        execute: (_, { answered, wait }) => answered?.questions ?? wait({ afterMs }),
      });
    const calls = [
      { name: "slow", id: "c2" },
      { name: "quick", id: "c3" },
    ];
    const world = family(
      [{ tools: task("c1") }, { text: "All done." }],
      [{ tools: calls }, { text: "Found." }],
      { callee: { tools: [polls("slow", 3_600_000), polls("quick", 30_000)] } },
    );
    const pawl = world.boot();
    world.say(pawl).catch(() => undefined);
    await until(async () => (await world.log()).some(({ type }) => type === "run_suspended"));
    await pawl.drain();
    const later = world.boot();
    expect(await later.sweep()).toBe(1);
    await until(async () => (await world.log()).filter(({ type }) => type === "run_suspended").length === 2);
    const results = (await world.log("s1:c1")).filter(({ type }) => type === "tool_result");
    expect(results).toMatchObject([{ data: { call_id: "c3", success: true } }]);
    await later.drain();
  });

  it("F26 has the user asked first", async () => {
    const asks = tool({
      name: "work",
      description: "",
      input: nothing,
      suspends: { answer: jsonSchema({ type: "object" }) },
    });
    const both = [
      { name: "clean", id: "c2" },
      { name: "work", id: "c3" },
    ];
    const world = family(
      [{ tools: task("c1") }, { text: "All done." }],
      [{ tools: both }, { text: "Found." }],
      { callee: { tools: [clean(polling), asks] } },
    );
    const pawl = world.boot();
    const { pending } = await world.say(pawl);
    expect(pending).toMatchObject([{ kind: "work", callId: "c1" }]);
    await pawl.drain();
  });
});

describe("the caller of a run that waits", () => {
  const credentials = { token: "tok_of_ada" };

  it("F26 F17 has its credentials again in the same process, and is asked for them in another", async () => {
    const seen: unknown[] = [];
    const polls = clean((context) => {
      seen.push(context.credentials);
      return polling(context);
    });
    const clock = testClock();
    const store = memoryStore({ now: clock.now });
    const first = boot([polls], { clock, store });
    const run = first.pawl.run("tester", { ...user, input: "Go", credentials });
    const { sessionId } = await run.started;
    const rested = async (times: number) =>
      await until(async () => (await first.of(sessionId, "run_suspended")).length === times);
    await rested(1);
    await clock.advance(60_001);
    await rested(2);
    expect(seen).toEqual([credentials, credentials]);
    await first.pawl.drain();
    const second = boot([polls], { clock, store });
    await clock.advance(60_001);
    expect(await second.pawl.sweep()).toBe(1);
    await rested(3);
    const { pending } = await second.pawl.view(sessionId, user);
    expect(pending).toMatchObject([{ kind: "credentials" }]);
    expect(seen).toHaveLength(2);
  });
});
