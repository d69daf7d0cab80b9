import type { JsonObject } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { reviewSchema } from "../src/hooks/review-schema.ts";
import { checkPlan } from "../src/index.ts";
import { plans, q4, reviews, searchBoth, worldOf } from "./support/world.ts";

const one = (name: string, query: string) => ({ tools: [{ name, input: { query } }] });

describe("the reviewer", () => {
  it("M5 H2 reviews a batch, changes the plan, and the model reads its notes in the next turn", async () => {
    const finance = { id: "finance", title: "Ask finance", tool: "search_slack" };
    const tasks = [...q4.tasks.slice(0, 2), finance, { ...q4.tasks[2], depends_on: ["finance"] }];
    const world = worldOf(
      {
        small: [plans(), reviews({ notes: "Gmail found nothing.", tasks: tasks as JsonObject[] })],
        main: searchBoth,
      },
      { review: {} },
    );
    const { sessionId } = await world.say("Q4?");
    expect(await world.of(sessionId, "planning.review")).toMatchObject([
      { reason: "batch", status: "ok", notes: "Gmail found nothing." },
    ]);
    const { plan, planned } = await world.record(sessionId);
    expect(planned?.by).toBe("reviewer");
    expect(plan?.tasks.map(({ id }) => id)).toEqual(["mail", "chat", "finance", "sum"]);
    const sent = JSON.stringify(world.model.requests[1]?.messages.at(-1));
    expect(sent).toContain("<Review>\\n- Gmail found nothing.\\n</Review>");
    expect(sent).toContain("finance: Ask finance (search_slack)");
  });

  it("M5 reorders tasks, and is asked again if the order does not have all tasks", async () => {
    const small = [plans(), reviews({ order: ["chat"] }), reviews({ order: ["chat", "mail", "sum"] })];
    const world = worldOf({ small, main: searchBoth }, { review: {} });
    const { sessionId } = await world.say("Q4?");
    expect(JSON.stringify(world.small.requests[2]?.messages)).toContain("must have the ids of all tasks");
    expect((await world.record(sessionId)).plan?.tasks.map(({ id }) => id)).toEqual(["chat", "mail", "sum"]);
  });

  it.each([
    ["a long id", "x".repeat(100_000)],
    ["an id that has no text", { toString: 1 }],
  ])("B7 M5 a wrong order of tasks with %s is refused in few words", async (_, id) => {
    const checked = checkPlan({ goal: "g", tasks: [] });
    if (checked.status === "error") throw new Error(checked.error.message);
    const { validate } = reviewSchema(checked.plan, {})["~standard"];
    const review = { notes: "", tasks: [{ id, title: "A" }], order: ["b"], question: null, stop: null };
    const { issues = [] } = await validate(review);
    expect(issues).toMatchObject([{ message: expect.stringContaining("must have the ids of all tasks") }]);
    expect(issues[0]?.message.length).toBeLessThan(200);
  });

  it("M5 a change that makes the plan wrong is refused with the reason", async () => {
    const circle = [
      { id: "a", title: "A", depends_on: ["b"] },
      { id: "b", title: "B", depends_on: ["a"] },
    ];
    const world = worldOf(
      { small: [plans(), ...Array.from({ length: 3 }, () => reviews({ tasks: circle }))], main: searchBoth },
      { review: {} },
    );
    const { sessionId, stop } = await world.say("Q4?");
    expect(stop.type).toBe("end_turn");
    expect(JSON.stringify(world.small.requests[2]?.messages)).toContain("wait for each other");
    expect(await world.of(sessionId, "planning.failed")).toMatchObject([{ part: "review" }]);
    expect((await world.record(sessionId)).plan?.tasks).toHaveLength(3);
  });

  it("M5 M2 may ask the user before the next turn", async () => {
    const question = { text: "Which year?", about: "Q4", choices: ["2025", "2026"] };
    const world = worldOf(
      { small: [plans(), reviews({ question }), plans()], main: searchBoth },
      { review: {} },
    );
    const waiting = await world.say("Q4?");
    expect(waiting.pending[0]?.payload).toMatchObject({
      question: "Which year?",
      choices: [
        { id: "1", label: "2025" },
        { id: "2", label: "2026" },
      ],
    });
    expect(world.model.requests).toHaveLength(1);
    const { text, sessionId } = await world.answer(waiting, { choice: "2" });
    expect(text).toBe("Alex is optimistic.");
    expect((await world.record(sessionId)).clarifications).toMatchObject([
      { answer: "2026", status: "resolved" },
    ]);
  });

  it("M5 M6 may end the request, with a structured error and words for the user", async () => {
    const world = worldOf(
      { small: [plans(), reviews({ stop: "The mail is from another company." })], main: searchBoth },
      { review: {} },
    );
    const { stop, sessionId } = await world.say("Q4?");
    expect(stop).toEqual({ type: "blocked", message: "The mail is from another company." });
    expect((await world.record(sessionId)).stopped?.code).toBe("stopped_by_review");
    expect(world.model.requests).toHaveLength(1);
  });

  it("M5 a flagged plan is reviewed after one call, and only once", async () => {
    const main = [one("search_gmail", "Q4"), one("search_slack", "Q4"), { text: "Ok." }];
    const world = worldOf(
      { small: [plans({ needs_review: true }), reviews({})], main },
      { review: { batches: false } },
    );
    const { sessionId } = await world.say("Q4?");
    expect((await world.of(sessionId, "planning.review")).map(({ reason }) => reason)).toEqual(["flagged"]);
    // No other review was tried.
    expect(world.errors).toEqual([]);
  });

  it("M5 reviews after several calls, counted over turns and from the last review", async () => {
    const main = ["a", "b", "c", "d", "e"].map((query) => one("search_gmail", query));
    const small = [plans(), ...["One.", "Two.", "Three.", "Four."].map((notes) => reviews({ notes }))];
    const world = worldOf({ small, main: [...main, { text: "Ok." }] }, { review: { everyCalls: 2 } });
    const { sessionId } = await world.say("Q4?");
    const done = await world.of(sessionId, "planning.review");
    expect(done.map(({ reason, notes }) => [reason, notes])).toEqual([
      ["every", "One."],
      ["every", "Two."],
    ]);
    const prompts = world.model.requests.map(({ messages }) => JSON.stringify(messages));
    expect(prompts.at(-1)?.match(/- One\./g)).toHaveLength(1);
  });

  it("M5 a reviewer that is down is asked twice, and not again in the run", async () => {
    const main = ["a", "b", "c", "d", "e"].map((query) => one("search_gmail", query));
    const world = worldOf(
      {
        small: (_request, n) => (n === 0 ? plans({ needs_review: true }) : { fault: { status: 500 } }),
        main: [...main, { text: "Ok." }],
      },
      { review: {} },
    );
    const { sessionId, stop } = await world.say("Q4?");
    expect(stop.type).toBe("end_turn");
    expect(await world.of(sessionId, "planning.failed")).toHaveLength(2);
    expect(world.small.requests).toHaveLength(3);
  });

  it("T12 M5 a tool that has failed three times is refused, its tasks are blocked, and the plan is reviewed", async () => {
    const main = [
      ...["a", "b", "c", "d"].map((query) => one("search_slack", query)),
      one("search_gmail", "Q4"),
      { text: "From the mail alone: fine." },
    ];
    const world = worldOf(
      { small: [plans(), reviews({ notes: "Slack is down. Go on with the mail." })], main },
      { review: { everyCalls: 100 } },
      { fails: (tool) => tool === "search_slack", agent: { limits: { errorTurns: 10 } } },
    );
    const { sessionId, stop } = await world.say("Q4?");
    expect(stop.type).toBe("end_turn");
    expect(world.searched.filter((call) => call.startsWith("search_slack"))).toHaveLength(3);
    expect((await world.of(sessionId, "planning.review")).map(({ reason }) => reason)).toEqual(["failures"]);
    expect(world.errors).toEqual([]);
    const { plan, failedTools } = await world.record(sessionId);
    expect(plan?.tasks[1]).toMatchObject({ id: "chat", status: "blocked" });
    expect(plan?.tasks[1]?.note).toBe('"search_slack" has failed 3 times: slack is down.');
    expect(plan?.tasks[0]?.status).toBe("done");
    expect(failedTools).toMatchObject([{ tool: "search_slack", count: 4 }]);
    expect(String(world.small.requests[1]?.messages[0]?.content[0]?.text)).toContain(
      "search_slack: 3 in a row",
    );
  });

  it("M5 T12 a tool that was taken out is no reason to review the turns of others", async () => {
    const main = [
      ...["a", "b", "c"].map((query) => one("search_slack", query)),
      ...["a", "b"].map((query) => one("search_gmail", query)),
      { text: "From the mail alone: fine." },
    ];
    const world = worldOf(
      { small: [plans(), reviews({})], main },
      { review: { everyCalls: 100 } },
      { fails: (tool) => tool === "search_slack", agent: { limits: { errorTurns: 10 } } },
    );
    const { sessionId } = await world.say("Q4?");
    expect(await world.of(sessionId, "planning.review")).toHaveLength(1);
    expect(world.errors).toEqual([]);
  });

  it("M5 L13 a reviewer that changes the plan for ever, and asks for more reviews, ends at the run's limit", async () => {
    let answers = 0;
    const world = worldOf(
      {
        small: ({ toolChoice }, n) =>
          Object(toolChoice).name === "review"
            ? reviews({
                notes: `Again ${n}.`,
                order: n % 2 === 0 ? ["mail", "chat", "sum"] : ["sum", "chat", "mail"],
              })
            : plans({ needs_review: true }),
        main: () => {
          answers += 1;
          const more = { goal: "Again", tasks: q4.tasks as JsonObject[], needs_review: true };
          return { tools: [{ name: "write_plan", input: { ...more, reasoning: `${answers}` } }] };
        },
      },
      { review: {} },
      { agent: { limits: { turns: 6 } } },
    );
    const { stop, sessionId } = await world.say("Q4?");
    expect(stop.type).toBe("turn_limit");
    // One review a turn at most, and no more turns than allowed.
    expect((await world.of(sessionId, "planning.review")).length).toBeLessThanOrEqual(6);
    expect(world.small.requests.length).toBeLessThanOrEqual(7);
    expect(await world.of(sessionId, "spending")).not.toEqual([]);
  });

  it("M5 T12 a tool's tasks are blocked after as many failures as the agent allows", async () => {
    const main = [
      ...["a", "b"].map((query) => ({ tools: [{ name: "search_slack", input: { query } }] })),
      { text: "Slack is down." },
    ];
    for (const [toolFailures, status] of [
      [2, "blocked"],
      [4, "pending"],
    ] as const) {
      const world = worldOf(
        { small: [plans()], main },
        {},
        { fails: (tool) => tool === "search_slack", agent: { limits: { errorTurns: 10, toolFailures } } },
      );
      const { sessionId } = await world.say("Q4?");
      const { plan } = await world.record(sessionId);
      expect(plan?.tasks.map((task) => task.status)).toEqual(["pending", status, "pending"]);
    }
  });

  it("M5 the run continues if the reviewer fails", async () => {
    const world = worldOf(
      { small: (_request, n) => (n === 0 ? plans() : { fault: { status: 500 } }), main: searchBoth },
      { review: {} },
    );
    const { sessionId, stop } = await world.say("Q4?");
    expect(stop.type).toBe("end_turn");
    expect(await world.of(sessionId, "planning.failed")).toMatchObject([
      { part: "review", code: "model_error" },
    ]);
  });
});
