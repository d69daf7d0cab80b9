import { describe, expect, it } from "vitest";
import * as z from "zod";
import { memoryStore, runtime, tool } from "../../../src/index.ts";
import { code } from "../../support/errors.ts";
import { named } from "../../support/hooks.ts";
import { collect, setup, types, user } from "../../support/setup.ts";
import { beforeAppend, has } from "../../support/stores.ts";

const ask = tool({
  name: "ask",
  description: "Asks.",
  input: z.object({ question: z.string() }),
  suspends: {
    answer: z.object({ yes: z.boolean() }),
    kind: "confirm",
    payload: ({ question }) => ({ label: question }),
  },
});
const save = tool({
  name: "save",
  description: "Saves.",
  input: z.object({ text: z.string() }),
  execute: ({ text }) => `saved ${text}`,
});
const question = (id: string) => ({ name: "ask", id, input: { question: "Really?" } });
const saving = (text: string) => ({ name: "save", input: { text } });

describe("suspension", () => {
  it("P1 ends the leg with a durable question that another process can show and answer", async () => {
    const first = setup([{ text: "A question.", tools: [question("toolu_q")] }, { text: "Good." }], {
      tools: [ask],
    });
    const { stop, pending, sessionId } = await first.say("Go");
    expect(stop.type).toBe("suspended");
    expect(pending).toMatchObject([{ callId: "toolu_q", kind: "confirm", payload: { label: "Really?" } }]);
    expect((await first.store.sessions.get(sessionId))?.status).toBe("suspended");

    const elsewhere = setup([{ text: "Good." }], { tools: [ask] }, { store: first.store });
    expect((await elsewhere.pawl.view(sessionId, user)).pending).toEqual(pending);
    const result = await elsewhere.answer(sessionId, "toolu_q", { yes: true });
    expect(result).toMatchObject({ text: "A question.\n\nGood.", stop: { type: "end_turn" }, turns: 2 });
    expect((await elsewhere.pawl.view(sessionId, user)).pending).toEqual([]);
  });

  it("P2 sends the answer as the tool's result, with a history that comes from the log alone", async () => {
    const { say, answer, model } = setup([{ tools: [question("toolu_q")] }, { text: "Good." }], {
      tools: [ask],
    });
    const { sessionId } = await say("Go");
    await answer(sessionId, "toolu_q", { yes: true, forged: "history" });
    expect(model.requests[1]?.messages).toMatchObject([
      { role: "user", content: [{ text: "Go" }] },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_q" }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_q", content: '{"yes":true}' }] },
    ]);
    expect(model.rejected).toEqual([]);
  });

  it("P3 runs the other calls of the turn and sends all results in one message, in call order", async () => {
    const tools = [saving("a"), question("toolu_q"), saving("b")];
    const { say, answer, model } = setup([{ tools }, { text: "Good." }], { tools: [ask, save] });
    const { sessionId, actions } = await say("Go");
    expect(actions.map(({ success }) => success)).toEqual([true, undefined, true]);
    await answer(sessionId, "toolu_q", { yes: false });
    expect(model.requests[1]?.messages).toHaveLength(3);
    expect(model.requests[1]?.messages[2]?.content).toMatchObject([
      { content: "saved a" },
      { tool_use_id: "toolu_q" },
      { content: "saved b" },
    ]);
    expect(model.rejected).toEqual([]);
  });

  it("P4 takes several answers in any order, each once, and a second one is a conflict", async () => {
    const tools = [question("toolu_1"), question("toolu_2")];
    const { say, answer, model, of } = setup([{ tools }, { text: "Good." }], { tools: [ask] });
    const { sessionId } = await say("Go");
    const partly = await answer(sessionId, "toolu_2", { yes: true });
    expect(partly.stop.type).toBe("suspended");
    expect(partly.pending.map(({ callId }) => callId)).toEqual(["toolu_1"]);
    await expect(answer(sessionId, "toolu_2", { yes: false })).rejects.toSatisfy(code("already_answered"));
    expect(model.requests).toHaveLength(1);
    expect((await answer(sessionId, "toolu_1", { yes: true })).stop.type).toBe("end_turn");
    await expect(answer(sessionId, "toolu_1", { yes: true })).rejects.toSatisfy(code("already_answered"));
    expect(await of(sessionId, "tool_answered")).toHaveLength(2);
    expect(model.rejected).toEqual([]);
  });

  it("P4 lets exactly one of many answers at once count, from different processes", async () => {
    const { say, store, model, of } = setup([{ tools: [question("toolu_q")] }, { text: "Good." }], {
      tools: [ask],
    });
    const { sessionId } = await say("Go");
    const made = setup([{ text: "Good." }], { tools: [ask] }, { store });
    const attempts = Array.from({ length: 10 }, (_, n) =>
      (n % 2 === 0 ? made.pawl : setup([{ text: "Good." }], { tools: [ask] }, { store }).pawl)
        .run("tester", { ...user, sessionId, answers: [{ callId: "toolu_q", value: { yes: n % 2 === 0 } }] })
        .started.then(
          () => "won",
          (error) => error.code,
        ),
    );
    const outcomes = await Promise.all(attempts);
    expect(outcomes.filter((outcome) => outcome === "won")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "already_answered")).toHaveLength(9);
    expect(await of(sessionId, "tool_answered")).toHaveLength(1);
    expect(model.rejected).toEqual([]);
  });

  const yes = { callId: "toolu_q", value: { yes: true } };
  it.each([
    ["of the wrong shape", [{ callId: "toolu_q", value: { yes: "maybe" } }], "u1", "invalid_answer"],
    ["of a forged call", [{ ...yes, callId: "toolu_forged" }], "u1", "unknown_call"],
    ["of a call that asks nothing", [{ ...yes, callId: "toolu_s" }], "u1", "unknown_call"],
    ["from somebody else", [yes], "u2", "not_found"],
    ["that is given twice at once", [yes, yes], "u1", "invalid_input"],
  ] as const)("P5 refuses an answer %s, and loses nothing", async (_what, answers, userId, refusal) => {
    const tools = [{ ...saving("x"), id: "toolu_s" }, question("toolu_q")];
    const { say, pawl, log, store } = setup([{ tools }], { tools: [ask, save] });
    const { sessionId, actions } = await say("Go");
    const before = await log(sessionId);
    const run = pawl.run("tester", { userId, sessionId, answers: [...answers] });
    await expect(run.started).rejects.toSatisfy(code(refusal));
    expect(await log(sessionId)).toEqual(before);
    expect(actions).toHaveLength(2);
    expect((await store.sessions.get(sessionId))?.pending).toBe(1);
  });

  it("P6 closes the question with a defined result when the user writes a message instead", async () => {
    const tools = [question("toolu_1"), question("toolu_2")];
    const { say, answer, model, of, store, pawl } = setup([{ tools }, { text: "Never mind, then." }], {
      tools: [ask],
    });
    const { sessionId } = await say("Go");
    const run = pawl.run("tester", { ...user, sessionId, input: "Something else" });
    const seen = types(await collect(run));
    expect(seen.filter((type) => type === "run_ended")).toHaveLength(2);
    const { stop, runId } = await run.result;
    expect(stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
    expect(model.requests[1]?.messages[2]?.content).toMatchObject([
      { type: "tool_result", tool_use_id: "toolu_1", content: expect.stringContaining('"answered":false') },
      { type: "tool_result", tool_use_id: "toolu_2" },
      { type: "text", text: "Something else" },
    ]);
    expect((await of(sessionId, "run_ended")).map(({ data }) => data.stop.type)).toEqual([
      "interrupted",
      "end_turn",
    ]);
    expect((await of(sessionId, "run_started")).at(-1)?.data.run_id).toBe(runId);
    await expect(answer(sessionId, "toolu_1", { yes: true })).rejects.toSatisfy(code("already_answered"));
    expect((await store.sessions.get(sessionId))?.pending).toBe(0);
  });

  it("P1 picks up an answer that is stored at the very moment the run suspends", async () => {
    const base = memoryStore();
    const racing = beforeAppend(base, async (events, sessionId) => {
      if (has(events, "run_suspended") && !raced) {
        raced = true;
        const other = runtime({ agents: [inner.agent], store: base });
        await other.run("tester", {
          ...user,
          sessionId,
          answers: [{ callId: "toolu_q", value: { yes: true } }],
        }).started;
      }
    });
    let raced = false;
    const outer = setup(
      [{ tools: [question("toolu_q")] }, { text: "Good." }],
      { tools: [ask] },
      { store: racing },
    );
    const inner = { agent: outer.agent };
    const { stop, text } = await outer.say("Go");
    expect({ raced, type: stop.type, text }).toEqual({ raced: true, type: "end_turn", text: "Good." });
  });

  it("P2 runs a tool that asks first only after the answer, with its typed value", async () => {
    const seen: unknown[] = [];
    const approve = tool({
      name: "approve",
      description: "Asks, then acts.",
      input: z.object({ what: z.string() }),
      suspends: { answer: z.object({ times: z.number().default(2) }) },
      execute: ({ what }, { answer }) => {
        seen.push(answer);
        return what.repeat(answer.times);
      },
    });
    const { say, answer } = setup(
      [{ tools: [{ name: "approve", id: "toolu_a", input: { what: "ab" } }] }, { text: "Ok." }],
      { tools: [approve] },
    );
    const { sessionId } = await say("Go");
    expect(seen).toEqual([]);
    const { actions } = await answer(sessionId, "toolu_a", {});
    expect(seen).toEqual([{ times: 2 }]);
    expect(actions[0]?.result).toBe("abab");
  });
});

it("P1 L17 a message that is sent again while its run waits does not end the run", async () => {
  const ends: string[] = [];
  const hooks = [named("noted", { afterRun: ({ stop }) => void ends.push(stop.type) })];
  const world = setup([{ tools: [question("toolu_q")] }, { text: "Done." }], { tools: [ask], hooks });
  const first = await world.say("Go", { clientMessageId: "m1" });
  const again = await world.say("Go", { sessionId: first.sessionId, clientMessageId: "m1" });
  expect({ ends, same: again.runId === first.runId, stop: again.stop.type }).toEqual({
    ends: [],
    same: true,
    stop: "suspended",
  });
  const { text } = await world.answer(first.sessionId, "toolu_q", { yes: true });
  expect({ text, ends }).toEqual({ text: "Done.", ends: ["end_turn"] });
});
