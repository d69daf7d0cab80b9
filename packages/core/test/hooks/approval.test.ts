import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  agent,
  agentTool,
  approval,
  type Hook,
  type Json,
  type JsonObject,
  memoryStore,
  tool,
} from "../../src/index.ts";
import { code } from "../support/errors.ts";
import { named, sound } from "../support/hooks.ts";
import { type Setup, setup, stored, until, user } from "../support/setup.ts";
import { dyingStore, has } from "../support/stores.ts";
import { calling, echo, text } from "../support/tools.ts";

const yes = { approved: true };
const script = [{ tools: [calling("echo", "a", "toolu_e")] }, { text: "Ok." }, { text: "Fine." }];
const rest = script.slice(1);
const hooks = [approval({ when: ["echo"] })];

/** Stores an answer directly in the store, as any writer of the store may, without checks. */
async function storedAnswer({ store, of }: Setup, sessionId: string, value: unknown): Promise<void> {
  const [question] = await of(sessionId, "tool_suspended");
  const { tool_name, call_id } = question?.data ?? { tool_name: "", call_id: "" };
  const key = question?.key?.replace("asked:", "answer:") ?? "";
  await store.append(
    sessionId,
    [{ type: "tool_answered", key, data: { tool_name, call_id, value: value as Json } }],
    { appendId: crypto.randomUUID(), session: { status: "active", addPending: -1 } },
  );
}

describe("an approval", () => {
  it("P1 P2 waits, and runs the call in another process once it is given", async () => {
    const { tool: one, ran } = echo();
    const world = setup(script, { tools: [one], hooks });
    const { stop, pending, sessionId } = await world.say("Go");
    expect(stop.type).toBe("suspended");
    expect(pending).toMatchObject([
      {
        callId: "toolu_e",
        toolName: "echo",
        kind: "approval",
        payload: { tool: "echo", input: { text: "a" } },
      },
    ]);
    expect(ran).toEqual([]);
    const next = setup(rest, { tools: [one], hooks }, { store: world.store });
    expect((await next.pawl.view(sessionId, user)).pending).toMatchObject([{ kind: "approval" }]);
    const { text: said, actions } = await next.answer(sessionId, "toolu_e", yes);
    expect({ said, ran, result: actions[0]?.result }).toEqual({ said: "Ok.", ran: ["a"], result: "echo a" });
    await sound(next, sessionId);
  });

  it("H1 that is not given denies the call, with the reason, and counts as a failure", async () => {
    for (const [answer, result] of [
      [{ approved: false }, "The user did not approve this call."],
      [{ approved: false, reason: "Too risky" }, "The user did not approve this call: Too risky"],
    ] as const) {
      const { tool: one, ran } = echo();
      const world = setup(script, { tools: [one], hooks });
      const { sessionId } = await world.say("Go");
      const { actions } = await world.answer(sessionId, "toolu_e", answer);
      expect(actions[0]).toMatchObject({ success: false, result });
      expect(ran).toEqual([]);
      await sound(world, sessionId);
    }
  });

  it("H1 is asked only for the calls that need it", async () => {
    const [one, other] = [echo(), echo("other")];
    const when = approval({
      when: async ({ input }, { type }) => (input as { text: string }).text === "rm" && type === "work",
    });
    const world = setup([{ tools: [calling("echo"), calling("other", "rm", "toolu_x")] }, ...rest], {
      tools: [one.tool, other.tool],
      hooks: [when],
    });
    const { sessionId, pending } = await world.say("Go", { metadata: { type: "work" } });
    expect(pending.map(({ callId }) => callId)).toEqual(["toolu_x"]);
    expect([one.ran, other.ran]).toEqual([["a"], []]);
    await world.answer(sessionId, "toolu_x", yes);
    expect(other.ran).toEqual(["rm"]);
    await sound(world, sessionId);
  });

  it("P5 takes no answer of another shape, of a forged call or of somebody else, and stores nothing of it", async () => {
    const { tool: one, ran } = echo();
    const world = setup(script, { tools: [one], hooks });
    const { sessionId } = await world.say("Go");
    const before = await world.log(sessionId);
    for (const bad of [
      true,
      null,
      {},
      { approved: "yes" },
      { approved: true, input: { text: "evil" } },
      { approved: true, reason: 5 },
    ]) {
      await expect(world.answer(sessionId, "toolu_e", bad)).rejects.toSatisfy(code("invalid_answer"));
    }
    await expect(world.answer(sessionId, "toolu_forged", yes)).rejects.toSatisfy(code("unknown_call"));
    const foreign = { userId: "u2", sessionId, answers: [{ callId: "toolu_e", value: yes }] };
    await expect(world.pawl.run("tester", foreign).started).rejects.toSatisfy(code("not_found"));
    expect(await world.log(sessionId)).toEqual(before);
    expect(ran).toEqual([]);
    await sound(world, sessionId);
  });

  it.each([true, null, {}, { approved: "yes" }, { approved: true, input: { text: "evil" } }])(
    "P5 refuses the call for an answer of another shape that was stored in the database: %j",
    async (value) => {
      const { tool: one, ran } = echo();
      const world = setup(script, { tools: [one], hooks });
      const { sessionId, pending } = await world.say("Go");
      await storedAnswer(world, sessionId, value);
      expect(await world.pawl.sweep()).toBe(1);
      await stored(world, sessionId, "run_ended");
      expect(ran).toEqual([]);
      const [result] = await world.of(sessionId, "tool_result");
      expect(result?.data).toMatchObject({ call_id: pending[0]?.callId, success: false });
      expect(result?.data.result).toMatch(/^The answer does not match its schema: /);
      await sound(world, sessionId);
    },
  );

  it("P5 H1 shows no hook an answer that does not fit its question, though it was stored in the database", async () => {
    const { tool: one, ran } = echo();
    const answers: unknown[] = [];
    const asking = named("asking", {
      beforeTool: ({ answer }) => {
        answers.push(answer);
        return answer === undefined ? { ask: { kind: "how_many", payload: {}, answer: z.int() } } : undefined;
      },
    });
    const world = setup([...script, { text: "Good." }], { tools: [one], hooks: [asking] });
    const { sessionId } = await world.say("Go");
    await storedAnswer(world, sessionId, "three");
    await world.pawl.sweep();
    await stored(world, sessionId, "run_ended");
    expect({ answers, ran }).toEqual({ answers: [undefined], ran: [] });
    await sound(world, sessionId);
  });

  it("P4 counts once, however many answer at once", async () => {
    const { tool: one, ran } = echo();
    const world = setup(script, { tools: [one], hooks });
    const { sessionId, pending } = await world.say("Go");
    const question = pending[0]?.seq as number;
    const outcomes = await Promise.all(
      [1, 2, 3, 4, 5].map((n) =>
        world.pawl
          .run("tester", {
            ...user,
            sessionId,
            answers: [{ callId: "toolu_e", question, value: { approved: n % 2 === 1 } }],
          })
          .started.then(
            () => "won",
            (error) => error.code,
          ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === "won")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "already_answered")).toHaveLength(4);
    await stored(world, sessionId, "run_ended");
    expect(ran.length).toBeLessThanOrEqual(1);
    await sound(world, sessionId);
  });

  it("P6 is closed by a message, and the call does not run", async () => {
    const { tool: one, ran } = echo();
    const world = setup(script, { tools: [one], hooks });
    const { sessionId } = await world.say("Go");
    await world.say("Something else", { sessionId });
    expect((await world.of(sessionId, "tool_result"))[0]?.data.result).toMatchObject({ answered: false });
    await expect(world.answer(sessionId, "toolu_e", yes)).rejects.toSatisfy(code("already_answered"));
    expect(ran).toEqual([]);
    await sound(world, sessionId);
  });

  it("H1 P2 runs exactly what was shown, though a hook before it would now make other input of it", async () => {
    const { tool: one, ran } = echo();
    let times = 0;
    const changing: Hook = {
      name: "changing",
      beforeTool: () => {
        times += 1;
        return { input: { text: `version ${times}` } };
      },
    };
    const all = [changing, ...hooks];
    const world = setup(script, { tools: [one], hooks: all });
    const { sessionId, pending } = await world.say("Go");
    expect(pending[0]?.payload).toEqual({ tool: "echo", input: { text: "version 1" } });
    const next = setup(rest, { tools: [one], hooks: all }, { store: world.store });
    await next.answer(sessionId, "toolu_e", yes);
    expect({ ran, times }).toEqual({ ran: ["version 1"], times: 1 });
    expect((await next.of(sessionId, "tool_started"))[0]?.data.input).toEqual({ text: "version 1" });
    await sound(next, sessionId);
  });

  it("P5 does not run the call when the hook that asked is gone with a deploy", async () => {
    const { tool: one, ran } = echo();
    const world = setup(script, { tools: [one], hooks });
    const { sessionId } = await world.say("Go");
    const next = setup(
      rest,
      { tools: [one], hooks: [approval({ name: "other", when: [] })] },
      { store: world.store },
    );
    const { actions } = await next.answer(sessionId, "toolu_e", yes);
    expect(actions[0]).toMatchObject({
      success: false,
      result: 'The hook "approval", which asked about this call, no longer exists.',
    });
    expect(ran).toEqual([]);
    await sound(next, sessionId);
  });

  it("P1 P2 survives a process that dies when the question, or the answer, has just been stored", async () => {
    for (const dieAt of ["tool_suspended", "tool_answered"]) {
      let clock = 0;
      const base = memoryStore({ now: () => clock });
      const dying = dyingStore(base, (events) => has(events, dieAt));
      const { tool: one, ran } = echo();
      const old = setup(script, { tools: [one], hooks }, { store: dying });
      const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
      await stored(old, sessionId, "tool_suspended");
      if (dieAt === "tool_answered") {
        await stored(old, sessionId, "run_suspended");
        void old.answer(sessionId, "toolu_e", yes);
        await stored(old, sessionId, "tool_answered");
      }
      clock += 60_000;
      const next = setup(rest, { tools: [one], hooks }, { store: base });
      await next.pawl.sweep();
      for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } })) if (dying.dead) break;
      if (dieAt === "tool_suspended") {
        await stored(next, sessionId, "run_suspended");
        await next.answer(sessionId, "toolu_e", yes);
      }
      await stored(next, sessionId, "run_ended");
      expect(ran).toEqual(["a"]);
      await sound(next, sessionId);
    }
  });
});

describe("two questions on one call", () => {
  const ask = tool({
    name: "echo",
    description: "",
    input: text,
    suspends: { answer: z.object({ approved: z.boolean() }), kind: "own" },
    execute: ({ text: said }, { answer }) => `${said} ${JSON.stringify(answer)}`,
  });

  it("P4 are asked one after the other, and each is answered once, across processes", async () => {
    const world = setup(script, { tools: [ask], hooks });
    const first = await world.say("Go");
    const { sessionId } = first;
    expect(first.pending).toMatchObject([{ kind: "approval" }]);
    // The tool's own schema would take it.
    const more = world.answer(sessionId, "toolu_e", { approved: true, more: 1 });
    await expect(more).rejects.toSatisfy(code("invalid_answer"));
    const next = setup(rest, { tools: [ask], hooks }, { store: world.store });
    const second = await next.answer(sessionId, "toolu_e", yes);
    expect(second.pending).toMatchObject([{ kind: "own", payload: { text: "a" } }]);
    const asked = await next.of(sessionId, "tool_suspended");
    expect(asked.map(({ data }) => data.by)).toEqual(["approval", undefined]);
    const answer = (question: number | undefined) =>
      next.pawl.run("tester", {
        ...user,
        sessionId,
        answers: [{ callId: "toolu_e", value: yes, ...(question && { question }) }],
      }).result;
    await expect(answer(asked[0]?.seq)).rejects.toSatisfy(code("already_answered"));
    await expect(answer(9_999)).rejects.toSatisfy(code("unknown_call"));
    const { actions, stop } = await answer(asked[1]?.seq);
    expect({ type: stop.type, result: actions[0]?.result }).toEqual({
      type: "end_turn",
      result: 'a {"approved":true}',
    });
    await expect(answer(asked[1]?.seq)).rejects.toSatisfy(code("already_answered"));
    const keys = (await next.log(sessionId)).flatMap(({ type, key }) =>
      type === "tool_suspended" || type === "tool_answered" ? [key] : [],
    );
    const call = (await next.of(sessionId, "assistant_message"))[0]?.seq;
    expect(keys).toEqual([
      `asked:${call}:toolu_e`,
      `answer:${call}:toolu_e`,
      `asked:${call}:toolu_e:1`,
      `answer:${call}:toolu_e:1`,
    ]);
    await sound(next, sessionId);
  });

  it("P4 may come from two hooks: each is called with its own answer, and none that has answered is called again", async () => {
    const called: string[] = [];
    const asking = (name: string): Hook => ({
      name,
      beforeTool: ({ answer, input }) => {
        called.push(`${name} ${JSON.stringify(answer ?? null)} ${(input as { text: string }).text}`);
        if (answer !== undefined)
          return { input: { text: `${(input as { text: string }).text}${(answer as JsonObject).add}` } };
        return { ask: { kind: name, payload: null, answer: z.object({ add: z.string() }) } };
      },
    });
    const { tool: one, ran } = echo();
    const all = [
      asking("x"),
      asking("y"),
      named("z", { beforeTool: ({ answer }) => void called.push(`z ${answer}`) }),
    ];
    const world = setup(script, { tools: [one], hooks: all });
    const { sessionId } = await world.say("Go");
    const next = setup(rest, { tools: [one], hooks: all }, { store: world.store });
    expect((await next.answer(sessionId, "toolu_e", { add: "1" })).pending).toMatchObject([{ kind: "y" }]);
    await expect(next.answer(sessionId, "toolu_e", { approved: true })).rejects.toSatisfy(
      code("invalid_answer"),
    );
    await next.answer(sessionId, "toolu_e", { add: "2" });
    expect(called).toEqual(["x null a", 'x {"add":"1"} a', "y null a1", 'y {"add":"2"} a1', "z undefined"]);
    expect(ran).toEqual(["a12"]);
    await sound(next, sessionId);
  });

  it("P4 may come from a task of another agent: an answer that is handed on twice counts for its own question", async () => {
    let clock = 0;
    const base = memoryStore({ now: () => clock });
    let asked = 0;
    const dying = dyingStore(base, (events, id) => {
      if (id.includes(":") && has(events, "tool_suspended")) asked += 1;
      return asked === 2;
    });
    const helper = agent({
      name: "helper",
      instructions: "Help.",
      model: strictModel({ script: [...script] }),
      tools: [ask],
      hooks,
    });
    const tools = [agentTool({ agent: helper, description: "Helps." })];
    const task = { name: "helper", id: "toolu_h", input: { task: "Do it." } };
    const world = setup([{ tools: [task] }], { tools }, { store: dying });
    const { sessionId } = await world.say("Go");
    void world.answer(sessionId, "toolu_h", yes);
    await until(() => dying.dead);
    clock += 60_000;
    const next = setup([{ text: "Ok." }, { text: "Fine." }], { tools }, { store: base });
    await next.pawl.sweep();
    await until(async () => (await next.of(sessionId, "tool_suspended")).length >= 2);
    await stored(next, sessionId, "run_suspended");
    expect((await next.pawl.view(sessionId, user)).pending).toMatchObject([{ kind: "own" }]);
    await until(async () => (await base.sessions.get(sessionId))?.status === "suspended");
    const { actions } = await next.answer(sessionId, "toolu_h", yes);
    expect(actions).toMatchObject([{ tool: "helper", success: true, result: "Ok." }]);
    await sound(next, sessionId);
  });

  it("P6 are closed by a message, whichever is open", async () => {
    const world = setup(script, { tools: [ask], hooks });
    const { sessionId } = await world.say("Go");
    await world.answer(sessionId, "toolu_e", yes);
    await sound(world, sessionId);
    expect((await world.of(sessionId, "tool_answered")).map(({ data }) => data.closed)).toEqual([
      undefined,
      expect.any(String),
    ]);
    expect((await world.store.sessions.get(sessionId))?.pending).toBe(0);
  });
});
