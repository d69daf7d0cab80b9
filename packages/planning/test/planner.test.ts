import type { JsonObject } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { plans, q4, searchBoth, worldOf } from "./support/world.ts";

describe("the planner", () => {
  it("M1 plans before the first turn, and marks tasks whose calls have succeeded as done", async () => {
    const world = worldOf({ small: [plans()], main: searchBoth });
    const { sessionId, stop } = await world.say("What does Alex say about Q4?");
    expect(stop.type).toBe("end_turn");
    const snapshots = await world.of(sessionId, "planning.plan");
    expect(snapshots.map(({ by }) => by)).toEqual(["planner", "progress"]);
    const { plan, ambiguityResolved } = await world.record(sessionId);
    expect(plan?.tasks.map(({ status }) => status)).toEqual(["done", "done", "pending"]);
    expect(ambiguityResolved).toBe(true);
    expect(world.errors).toEqual([]);
  });

  it("M1 sends the tools to the small model, and its cost is charged to the run", async () => {
    const world = worldOf({ small: [plans()], main: [{ text: "Ok." }] });
    const { sessionId } = await world.say("What does Alex say about Q4?");
    const prompt = String(world.small.requests[0]?.messages[0]?.content[0]?.text);
    expect(prompt).toContain("- search_gmail: Searches gmail.");
    expect(prompt).toContain("<Message>\nWhat does Alex say about Q4?\n</Message>");
    expect(prompt).not.toContain("write_plan:");
    expect((await world.of(sessionId, "spending")).map(({ by }) => by)).toEqual(["planning"]);
  });

  const wrong: [string, JsonObject, string][] = [
    ["a circle", { tasks: [task("a", ["b"]), task("b", ["a"])] }, "a → b → a"],
    [
      "an unknown tool",
      { tasks: [{ ...task("a"), tool: "search_fax" }] },
      '"search_fax" of the task "a" is not a tool',
    ],
    ["an unknown agent", { tasks: [{ ...task("a"), agent: "constructor" }] }, "is not an agent"],
    ["two equal ids", { tasks: [task("a"), task("a")] }, 'Two tasks have the id "a"'],
    ["an unknown dependency", { tasks: [task("a", ["z"])] }, 'depends on "z", which is not in the plan'],
    [
      "200 tasks",
      { tasks: Array.from({ length: 200 }, (_, n) => task(`t${n}`)) },
      "has 200 tasks, and at most 20",
    ],
    ["a question without words", { status: "needs_clarification" }, "needs `question.text`"],
  ];
  it.each(wrong)("M1 %s is refused with a reason that the model can act on", async (_what, draft, reason) => {
    const world = worldOf({ small: [plans(draft), plans()], main: [{ text: "Ok." }] });
    const { sessionId } = await world.say("Q4?");
    expect(JSON.stringify(world.small.requests[1]?.messages)).toContain(JSON.stringify(reason).slice(1, -1));
    expect((await world.record(sessionId)).plan?.tasks).toHaveLength(3);
  });

  it("M1 without a plan the run continues, and the log says why it has no plan", async () => {
    const world = worldOf({ small: () => ({ text: "No plan." }), main: [{ text: "Ok." }] });
    const { sessionId, stop } = await world.say("Q4?");
    expect(stop.type).toBe("end_turn");
    expect(await world.of(sessionId, "planning.failed")).toMatchObject([
      { part: "plan", code: "unusable_answer" },
    ]);
    expect(world.errors).toHaveLength(1);
    expect(world.small.requests).toHaveLength(3);
  });

  it("M7 a rewritten query is a suggestion in the plan: neither the message nor a call is changed", async () => {
    const world = worldOf({
      small: [plans({ rewritten_query: "Alex Chen fourth quarter" })],
      main: searchBoth,
    });
    const { sessionId } = await world.say("What does Alex say about Q4?");
    const [first] = world.model.requests;
    const sent = JSON.stringify(first?.messages);
    expect(sent).toContain("What does Alex say about Q4?");
    expect(sent).toContain(
      "Suggested query, not to be used unless the user asks for it: Alex Chen fourth quarter",
    );
    expect(world.searched).toEqual(["search_gmail: Q4", "search_slack: Q4"]);
    const { messages, calls } = await world.record(sessionId);
    expect(messages.map(({ text }) => text)).toEqual(["What does Alex say about Q4?"]);
    expect(calls.map((call) => call.arguments)).toEqual([{ query: "Q4" }, { query: "Q4" }]);
  });

  it("M7 a plan cannot contain a tool that is withheld", async () => {
    const rewrite = plans({ tasks: [{ ...task("a"), tool: "summarize" }] });
    const world = worldOf(
      { small: [rewrite, plans()], main: [{ text: "Ok." }] },
      { withhold: ["summarize"] },
    );
    const { sessionId } = await world.say("Q4?");
    expect(JSON.stringify(world.small.requests[0]?.messages)).not.toContain("summarize");
    expect(JSON.stringify(world.small.requests[1]?.messages)).toContain("is not a tool");
    expect((await world.record(sessionId)).plan?.tasks[0]?.tool).toBe("search_gmail");
  });

  it("M1 the agent's model may replace the plan, and reads why a wrong one is refused", async () => {
    const main = [
      {
        tools: [{ name: "write_plan", input: { goal: "x", tasks: [{ ...task("a"), tool: "search_fax" }] } }],
      },
      { tools: [{ name: "write_plan", input: { goal: "Less", tasks: [q4.tasks[0] as JsonObject] } }] },
      { text: "Ok." },
    ];
    const world = worldOf({ small: [plans()], main });
    const { sessionId, actions } = await world.say("Q4?");
    expect(actions[0]).toMatchObject({
      success: true,
      result: { status: "error", error: { code: "invalid_plan" } },
    });
    expect(JSON.stringify(world.model.requests[1]?.messages.at(-1))).toContain("is not a tool");
    expect(actions[1]?.result).toEqual({ status: "ok", next: ["mail"] });
    expect((await world.record(sessionId)).planned).toMatchObject({ by: "write_plan", count: 2 });
  });

  it("M1 only results after the last plan update it, so that a task can be done again", async () => {
    const again = { goal: "Again", tasks: [{ ...task("a"), tool: "search_gmail" }] };
    const main = [
      { tools: [{ name: "search_gmail", input: { query: "Q4" } }] },
      { tools: [{ name: "write_plan", input: again }] },
      { tools: [{ name: "search_slack", input: { query: "Q4" } }] },
      { text: "Ok." },
    ];
    const world = worldOf({ small: [plans()], main });
    const { sessionId } = await world.say("Q4?");
    expect((await world.record(sessionId)).plan?.tasks.map(({ status }) => status)).toEqual(["pending"]);
  });

  it("M1 a task is done if its call is skipped as a duplicate, because the result is known", async () => {
    const mail = { tools: [{ name: "search_gmail", input: { query: "Q4" } }] };
    const tasks = [{ ...task("a"), tool: "search_gmail" }, task("b", ["a"])];
    const again = { name: "write_plan", input: { goal: "Again", tasks } };
    // Once after another plan, and once for a second task of the same tool.
    for (const between of [[{ tools: [again] }], []]) {
      const twice = [
        { ...task("a"), tool: "search_gmail" },
        { ...task("c"), tool: "search_gmail" },
      ];
      const world = worldOf({
        small: [plans({ tasks: twice })],
        main: [mail, ...between, mail, { text: "Ok." }],
      });
      const { sessionId } = await world.say("Q4?");
      const { plan, calls } = await world.record(sessionId);
      expect(calls.at(-1)).toMatchObject({ status: "skipped", skipped: "duplicate" });
      expect(plan?.tasks.map(({ id, status }) => `${id} ${status}`)).toEqual(
        between.length > 0 ? ["a done", "b pending"] : ["a done", "c done"],
      );
    }
  });

  it("M1 M8 a retry continues with the plan of the run that failed", async () => {
    const main = [
      ...searchBoth.slice(0, 1),
      { fault: { status: 400, message: "No." } },
      { text: "Alex is optimistic." },
    ];
    const world = worldOf({ small: [plans()], main }, {}, { onError: () => {} });
    const { sessionId, stop } = await world.pawl.run("searcher", { userId: "u1", input: "Q4?" }).result;
    expect(stop.type).toBe("error");
    const { runId } = await world.record(sessionId);
    const retried = await world.pawl.run("searcher", { userId: "u1", sessionId, retry: runId } as never)
      .result;
    expect(retried.stop.type).toBe("end_turn");
    const record = await world.record(sessionId);
    expect(record.runId).not.toBe(runId);
    expect(record.plan?.tasks.map(({ status }) => status)).toEqual(["done", "done", "pending"]);
    expect(record.calls).toHaveLength(2);
    expect(world.small.requests).toHaveLength(1);
  });

  it("M6 a request that is blocked ends with a structured error and the reason", async () => {
    const world = worldOf({
      small: [plans({ status: "blocked", blocked: "There is no access to HR." })],
      main: [],
    });
    const { sessionId, stop } = await world.say("What does Alex earn?");
    expect(stop).toEqual({ type: "blocked", message: "There is no access to HR." });
    expect(world.model.requests).toEqual([]);
    expect(await world.of(sessionId, "planning.stopped")).toMatchObject([
      { code: "blocked", message: "There is no access to HR." },
    ]);
  });

  it("M1 an earlier plan is not taken for the plan of a new request", async () => {
    const small = [plans(), { text: "?" }, { text: "?" }, { text: "?" }];
    const world = worldOf({ small, main: [{ text: "Ok." }, { text: "Ok." }] });
    const { sessionId } = await world.say("Q4?");
    await world.say("Thanks!", { sessionId });
    const last = JSON.stringify(world.model.requests[1]?.messages);
    expect(last.lastIndexOf("There is no plan for this request.")).toBeGreaterThan(last.lastIndexOf("Goal:"));
  });
});

function task(id: string, depends_on: string[] = []) {
  return { id, title: "Do it", depends_on };
}
