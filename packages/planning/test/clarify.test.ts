import { agent, type Hook, type JsonObject, type RunResult } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import type { Choice } from "../src/index.ts";
import { plans, searchBoth, worldOf } from "./support/world.ts";

/** A plan with the question which Alex is meant. */
const whichAlex = plans({
  status: "needs_clarification",
  question: { text: "Which Alex do you mean?", about: "Alex", choices: [] },
});
const people: Choice[] = [
  { id: "u-17", label: "Alex Chen", detail: "Finance", data: { initials: "AC" } },
  { id: "u-23", label: "Alex Moreau", detail: "Sales", data: { initials: "AM" } },
];

function questionOf({ pending }: RunResult) {
  return pending[0]?.payload as JsonObject;
}

describe("the clarifier", () => {
  it("M2 asks before the first turn, with the application's choices, and plans again with the answer", async () => {
    const asked: string[] = [];
    const world = worldOf(
      { small: [whichAlex, plans({ goal: "Find what Alex Chen says" })], main: searchBoth },
      {
        choices: ({ about }, { record }) => {
          asked.push(`${about}: ${record.messages[0]?.text}`);
          return people;
        },
      },
    );
    const waiting = await world.say("What does Alex say about Q4?");
    expect(waiting.stop.type).toBe("suspended");
    expect(waiting.pending[0]?.kind).toBe("clarification");
    expect(questionOf(waiting)).toEqual({
      ...{ question: "Which Alex do you mean?", about: "Alex", attempt: 1, attempts: 3, choices: people },
    });
    expect(asked).toEqual(["Alex: What does Alex say about Q4?"]);
    expect(world.model.requests).toEqual([]);

    const { stop, sessionId } = await world.answer(waiting, { choice: "u-17" });
    expect(stop.type).toBe("end_turn");
    const { clarifications, plan, strikes } = await world.record(sessionId);
    expect(clarifications).toMatchObject([
      {
        question: "Which Alex do you mean?",
        answer: "Alex Chen (Finance)",
        choice: people[0],
        status: "resolved",
      },
    ]);
    expect(plan?.goal).toBe("Find what Alex Chen says");
    expect(strikes).toBe(0);
    expect(JSON.stringify(world.small.requests[1]?.messages)).toContain("Alex Chen (Finance)");
    expect(JSON.stringify(world.model.requests[0]?.messages)).toContain(
      "<Clarifications>\\n- Which Alex do you mean? → Alex Chen (Finance)\\n</Clarifications>",
    );
  });

  it("M2 does not ask the user if there is only one choice", async () => {
    const world = worldOf(
      { small: [whichAlex, plans()], main: searchBoth },
      { choices: () => people.slice(0, 1) },
    );
    const { sessionId, stop } = await world.say("What does Alex say about Q4?");
    expect(stop.type).toBe("end_turn");
    const { clarifications } = await world.record(sessionId);
    expect(clarifications).toMatchObject([{ answer: "Alex Chen (Finance)", status: "resolved" }]);
    expect(clarifications[0]).not.toHaveProperty("call_id");
  });

  it("M2 reports choices that are not valid, and shows the model's suggestions", async () => {
    const suggested = plans({
      status: "needs_clarification",
      question: { text: "Which Alex?", about: "Alex", choices: ["Chen", "Moreau"] },
    });
    const messages: string[] = [];
    for (const given of [
      [{ id: 1, label: "Chen" }],
      [{ label: "Chen" }],
      [people[0], { id: "u-23" }],
      ["Chen"],
      "Chen",
      null,
      undefined,
      [people[0], { ...people[1], id: "u-17" }],
      [{ ...people[0], detail: 5 }],
    ]) {
      const world = worldOf({ small: [suggested], main: [] }, { choices: () => given as never });
      const { pending, sessionId } = await world.say("What does Alex say?");
      expect(pending[0]?.payload).toMatchObject({ choices: [{ label: "Chen" }, { label: "Moreau" }] });
      expect((await world.record(sessionId)).failures).toEqual([{ part: "choices", code: "config" }]);
      messages.push(...world.errors.map((error) => (error as Error).message.split("; ").at(-1) ?? ""));
    }
    expect(messages).toMatchInlineSnapshot(`
      [
        "\`id\` of entry 0 is a number.",
        "\`id\` of entry 0 is undefined.",
        "\`label\` of entry 1 is undefined.",
        "\`id\` of entry 0 is undefined.",
        "got a string. Return [] if there are none.",
        "got null. Return [] if there are none.",
        "got undefined. Return [] if there are none.",
        "entry 1 has the same id as one before it: "u-17".",
        "\`detail\` of entry 0 is a number.",
      ]
    `);
    const none = worldOf({ small: [suggested], main: [] }, { choices: () => [] });
    await none.say("What does Alex say?");
    expect(none.errors).toEqual([]);
  });

  it("M2 asks the user in the end if each new question has only one choice", async () => {
    const world = worldOf(
      {
        small: (_request, n) =>
          plans({ status: "needs_clarification", question: { text: "Who?", about: `Alex ${n}` } }),
        main: [],
      },
      { choices: () => people.slice(0, 1) },
    );
    const { stop, sessionId } = await world.say("Alex?");
    expect(stop.type).toBe("suspended");
    expect((await world.record(sessionId)).clarifications).toHaveLength(5);
  });

  it("M2 ends the run if three questions leave the request unclear, and says what is missing", async () => {
    const world = worldOf({ small: () => whichAlex, main: [] }, { choices: () => people });
    let result = await world.say("What does Alex say about Q4?");
    for (const [at, value] of [{ none: true }, { text: "The tall one" }, { none: true }].entries()) {
      expect(questionOf(result)).toMatchObject({ attempt: at + 1, attempts: 3 });
      result = await world.answer(result, value as JsonObject);
    }
    expect(result.stop).toEqual({
      type: "blocked",
      message:
        "I asked 3 times and still do not know what you mean by “Alex”. Please write again and include the answer to this: Which Alex do you mean?",
    });
    expect(world.model.requests).toEqual([]);
    const { stopped, clarifications } = await world.record(result.sessionId);
    expect(stopped).toMatchObject({ code: "clarification_failed", question: { about: "Alex" } });
    expect(clarifications.map(({ status, answer }) => [status, answer])).toEqual([
      ["unclear", ""],
      ["unclear", "The tall one"],
      ["unclear", ""],
    ]);
  });

  it("M2 the application may write the message at the end itself", async () => {
    const world = worldOf(
      { small: () => whichAlex, main: [] },
      { attempts: 1, stopMessage: ({ code, question }) => `${code}: ${question?.about}?` },
    );
    const { stop } = await world.answer(await world.say("Alex?"), { none: true });
    expect(stop.message).toBe("clarification_failed: Alex?");
  });

  it("M2 continues with the answer if the planner's model is down by then", async () => {
    const world = worldOf({
      small: (_request, n) => (n === 0 ? whichAlex : { fault: { status: 500 } }),
      main: searchBoth,
    });
    const { stop, sessionId } = await world.answer(await world.say("Alex?"), { text: "Alex Chen" });
    expect(stop.type).toBe("end_turn");
    expect((await world.record(sessionId)).planned?.by).toBe("progress");
    expect((await world.of(sessionId, "planning.plan"))[1]).toMatchObject({
      by: "answer",
      plan: { status: "ok" },
    });
  });

  it("M2 an answer of the wrong shape is refused and can be given again", async () => {
    const world = worldOf({ small: [whichAlex, plans()], main: searchBoth }, { choices: () => people });
    const waiting = await world.say("Alex?");
    await expect(world.answer(waiting, { choice: "u-99" })).rejects.toMatchObject({ code: "invalid_answer" });
    expect((await world.answer(waiting, { choice: "u-23" })).stop.type).toBe("end_turn");
  });

  it("M2 an answer is one of the choices that were shown, or a short text, and nothing else", async () => {
    const many = Array.from({ length: 25 }, (_, at) => ({ id: `u-${at}`, label: `Alex ${at}` }));
    const world = worldOf({ small: [whichAlex, plans()], main: searchBoth }, { choices: () => many });
    const waiting = await world.say("Alex?");
    expect(questionOf(waiting).choices).toHaveLength(20);
    for (const wrong of [
      { choice: "u-20" },
      { choice: "__proto__" },
      { choice: ["u-1"] },
      { choice: "u-1", label: "Mallory" },
      { text: "x".repeat(2_001) },
      { text: "" },
      { none: false },
      {},
    ])
      await expect(world.answer(waiting, wrong as JsonObject)).rejects.toMatchObject({
        code: "invalid_answer",
      });
    const { pawl } = world;
    const answers = [{ callId: waiting.pending[0]?.callId ?? "", value: { choice: "u-1" } }];
    const { sessionId } = waiting;
    await expect(
      pawl.run("searcher", { userId: "mallory", sessionId, answers }).result,
    ).rejects.toMatchObject({
      code: "not_found",
    });
    expect(await world.of(sessionId, "tool_answered")).toEqual([]);
    await world.answer(waiting, { choice: "u-19", text: "x".repeat(2_000) });
    expect((await world.record(sessionId)).clarifications[0]?.choice).toEqual(many[19]);
  });

  it("M2 asks again, and counts it, if none of the choices is right and the planner's model is down", async () => {
    const world = worldOf(
      { small: (_request, n) => (n === 0 ? whichAlex : { fault: { status: 500 } }), main: [] },
      { choices: () => people },
    );
    const again = await world.answer(await world.say("Alex?"), { none: true });
    expect(questionOf(again)).toMatchObject({ question: "Which Alex do you mean?", attempt: 2 });
    expect((await world.record(again.sessionId)).ambiguityResolved).toBe(false);
  });

  it("M2 a message instead of an answer is a new request, planned with the earlier one", async () => {
    const world = worldOf({ small: [whichAlex, plans()], main: [{ text: "Ok." }] });
    const { sessionId } = await world.say("What does Alex say about Q4?");
    const { stop } = await world.say("Alex Chen, of course.", { sessionId });
    expect(stop.type).toBe("end_turn");
    const { messages } = await world.record(sessionId);
    expect(messages.map(({ text }) => text)).toEqual([
      "What does Alex say about Q4?",
      "Alex Chen, of course.",
    ]);
    expect(JSON.stringify(world.small.requests[1]?.messages)).toContain("of course");
  });

  it("M2 a message that arrives just before the run waits closes the question and is part of the next plan", async () => {
    let sent: Promise<RunResult> | undefined;
    const late: Hook = {
      name: "late",
      onSuspend: async ({ sessionId }) => {
        const run = world.pawl.run("searcher", { userId: "u1", sessionId, input: "Alex Chen!" });
        sent ??= run.result;
        await run.started;
      },
    };
    const world = worldOf(
      { small: [whichAlex, plans()], main: [{ text: "Ok." }] },
      {},
      { agent: { whenBusy: "queue", hooks: [late] } },
    );
    const { stop, sessionId } = await world.say("What does Alex say about Q4?");
    expect(stop.type).toBe("end_turn");
    expect((await sent)?.text).toBe("Ok.");
    expect(JSON.stringify(world.small.requests[1]?.messages)).toContain("Alex Chen!");
    expect(await world.of(sessionId, "run_ended")).toHaveLength(1);
  });

  it("M2 the planner reads the clarifications of earlier requests", async () => {
    const world = worldOf({ small: [whichAlex, plans(), plans()], main: [...searchBoth, { text: "Ok." }] });
    const { sessionId } = await world.answer(await world.say("Alex?"), { text: "Alex Chen" });
    await world.say("And the budget?", { sessionId });
    const prompt = JSON.stringify(world.small.requests[2]?.messages);
    expect(prompt).toContain("<Clarifications>\\n- Which Alex do you mean? → Alex Chen\\n");
    expect(prompt).toContain("assistant: Alex is optimistic.");
  });

  it("M2 the agent's own model may ask the user through the plan", async () => {
    const asks = { goal: "x", tasks: [], status: "needs_clarification", question: { text: "Which year?" } };
    const main = [{ tools: [{ name: "write_plan", input: asks }] }, { text: "In 2026." }];
    const world = worldOf({ small: [plans(), plans()], main });
    const waiting = await world.say("Q4?");
    expect(questionOf(waiting)).toMatchObject({ question: "Which year?" });
    const { text, sessionId } = await world.answer(waiting, { text: "2026" });
    expect(text).toBe("In 2026.");
    expect((await world.record(sessionId)).clarifications).toMatchObject([
      { answer: "2026", status: "resolved" },
    ]);
  });
});

describe("gates", () => {
  const finance = {
    id: "finance",
    name: "Finance briefing",
    description: "Knows the budgets.",
    domains: ["finance"],
    agent: agent({
      name: "finance",
      model: scriptedModel(() => ({ text: "The budget is 5 M." })),
      instructions: "x",
    }),
  };
  const runs = { name: "run_custom_agent", input: { agent_id: "finance", query: "Budget?" } };

  it("M2 refuse a custom agent until the request is clear, even four times, and then let it run", async () => {
    const asks = { goal: "x", tasks: [], status: "needs_clarification", question: { text: "Which year?" } };
    const main = [
      { tools: [runs] },
      { tools: [runs] },
      { tools: [runs] },
      { tools: [{ name: "write_plan", input: asks }, runs] },
      { tools: [runs] },
      { text: "5 M." },
    ];
    const noPlan = { text: "No." };
    const world = worldOf(
      { small: [noPlan, noPlan, noPlan, plans({ tasks: [] })], main },
      { agents: () => [finance] },
    );
    const waiting = await world.say("The budget?");
    const denied = waiting.actions.filter(({ tool }) => tool === "run_custom_agent");
    expect(denied).toHaveLength(4);
    for (const { result } of denied)
      expect(result).toMatchObject({ status: "error", error: { code: "not_clear" } });
    const { actions, sessionId } = await world.answer(waiting, { text: "2026" });
    expect(actions.at(-1)?.result).toBe("The budget is 5 M.");
    const { calls, failedTools } = await world.record(sessionId);
    expect(calls.filter(({ skipped }) => skipped === "gated")).toHaveLength(4);
    expect(calls.at(-1)).toMatchObject({ tool: "run_custom_agent", agent: "finance", status: "success" });
    expect(failedTools).toEqual([]);
  });

  it.each([1, 4])(
    "M2 refuse a call beside a write_plan, which opens a question, with %i calls at once",
    async (toolConcurrency) => {
      const asks = { goal: "x", tasks: [], status: "needs_clarification", question: { text: "Which year?" } };
      const main = [
        { tools: [{ name: "write_plan", input: asks }, runs] },
        { tools: [runs] },
        { text: "5 M." },
      ];
      const world = worldOf(
        { small: [plans({ tasks: [] }), plans({ tasks: [] })], main },
        { agents: () => [finance] },
        { agent: { toolConcurrency } },
      );
      const waiting = await world.say("The budget?");
      expect(waiting.actions.map(({ tool, result }) => [tool, result])).toEqual([
        ["write_plan", { status: "needs_clarification", next: [] }],
        [
          "run_custom_agent",
          expect.objectContaining({ error: expect.objectContaining({ code: "not_clear" }) }),
        ],
      ]);
      const before = await world.record(waiting.sessionId);
      expect(before.calls.map(({ status, skipped }) => [status, skipped])).toEqual([
        ["success", undefined],
        ["skipped", "gated"],
      ]);
      expect(before.failedTools).toEqual([]);
      const { actions } = await world.answer(waiting, { text: "2026" });
      expect(actions.at(-1)?.result).toBe("The budget is 5 M.");
    },
  );

  it("M2 hold for any tool that the application names", async () => {
    const search = { name: "search_gmail", input: { query: "Q4" } };
    const noPlan = { text: "No." };
    const main = [
      { tools: [search] },
      { tools: [{ name: "write_plan", input: { goal: "x", tasks: [] } }] },
      { tools: [search] },
      { text: "Ok." },
    ];
    const world = worldOf({ small: [noPlan, noPlan, noPlan], main }, { gates: ["search_gmail"] });
    const { actions } = await world.say("Q4?");
    expect(actions[0]?.result).toMatchObject({ error: { code: "not_clear" } });
    expect(JSON.stringify(world.model.requests[1]?.messages)).toContain("Write one with write_plan first");
    expect(world.searched).toEqual(["search_gmail: Q4"]);
  });
});
