import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkPlan, type Plan, planProgress, readyTasks } from "../src/index.ts";

function planOf(draft: object): Plan {
  const checked = checkPlan(draft);
  if (checked.status === "error") throw new Error(checked.error.message);
  return checked.plan;
}

describe("checkPlan", () => {
  it("M1 names every mistake of a plan at once", () => {
    const tasks = [
      { id: "a", title: "A", tool: "fax" },
      { id: "a", title: "B", depends_on: ["c"] },
    ];
    const checked = checkPlan({ status: "maybe", tasks }, { tools: ["mail", "chat"] });
    expect(checked).toMatchObject({
      status: "error",
      error: {
        code: "invalid_plan",
        problems: [
          "`goal` is missing: say in a sentence what the user wants.",
          'Two tasks have the id "a".',
          '"fax" of the task "a" is not a tool. The tools are: mail, chat.',
          'The task "a" depends on "c", which is not in the plan.',
          "`status` must be ok, needs_clarification or blocked.",
        ],
      },
    });
  });

  it("B7 M1 tells ten mistakes of a plan that has hundreds, in few words", () => {
    const tasks = Array.from({ length: 300 }, (_, at) => ({ id: `${"x".repeat(300)} ${at}` }));
    const checked = checkPlan({ status: "ok", goal: "g", tasks }, { maxTasks: 300 });
    if (checked.status === "ok") throw new Error("The plan was accepted.");
    expect(checked.error.problems).toHaveLength(10);
    expect(checked.error.message.length).toBeLessThanOrEqual(1_100);
  });

  it("B7 M1 shortens unknown ids in its answer, and keeps no long candidate nor one twice", () => {
    const long = "x".repeat(100_000);
    const depends_on = Array.from({ length: 10 }, (_, at) => `${at}${long}`);
    const refused = checkPlan({ goal: "g", tasks: [{ id: "a", title: "t", depends_on }] });
    if (refused.status === "ok") throw new Error("The plan was accepted.");
    expect(refused.error.problems).toHaveLength(10);
    expect(refused.error.problems[9]).toMatch(
      /^The task "a" depends on "9x{62}…", which is not in the plan\.$/,
    );
    const many = Array.from({ length: 1_000 }, (_, at) => `agent-${at}`);
    const candidate_agents = [long, "finance", "finance", ...many];
    const checked = checkPlan({ goal: "g", tasks: [], candidate_agents });
    if (checked.status === "error") throw new Error(checked.error.message);
    expect(checked.plan.candidate_agents).toEqual(["finance", ...many.slice(0, 99)]);
  });

  it("M1 never throws, whatever a model writes, and what it accepts it accepts again", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const checked = checkPlan(value);
        if (checked.status === "ok") expect(checkPlan(checked.plan)).toEqual(checked);
      }),
      { numRuns: 2_000 },
    );
  });

  it("M1 accepts exactly the plans whose tasks can be done one after the other", () => {
    const graph = fc.integer({ min: 1, max: 7 }).chain((size) =>
      fc.array(fc.uniqueArray(fc.integer({ min: 0, max: size - 1 }), { maxLength: 3 }), {
        minLength: size,
        maxLength: size,
      }),
    );
    fc.assert(
      fc.property(graph, (edges) => {
        const tasks = edges.map((needs, at) => ({
          id: `t${at}`,
          title: "Do",
          depends_on: needs.map((one) => `t${one}`),
        }));
        const checked = checkPlan({ goal: "x", tasks });
        // Done one after the other, by what readyTasks() says.
        let plan = {
          tasks: tasks.map((one) => ({ ...one, parallelizable: true, status: "pending" as const })),
        } as Pick<Plan, "tasks">;
        for (let ready = readyTasks(plan); ready.length > 0; ready = readyTasks(plan)) {
          const ids = new Set(ready.map(({ id }) => id));
          plan = { tasks: plan.tasks.map((one) => (ids.has(one.id) ? { ...one, status: "done" } : one)) };
        }
        expect(checked.status).toBe(planProgress(plan).done === tasks.length ? "ok" : "error");
      }),
      { numRuns: 2_000 },
    );
  });

  it("M1 accepts 20 tasks, or as many as allowed, and not one more", () => {
    const of = (count: number) => ({
      goal: "x",
      tasks: Array.from({ length: count }, (_, at) => ({ id: `t${at}`, title: "t" })),
    });
    expect([20, 21, 200].map((count) => checkPlan(of(count)).status)).toEqual(["ok", "error", "error"]);
    expect([3, 4].map((count) => checkPlan(of(count), { maxTasks: 3 }).status)).toEqual(["ok", "error"]);
  });

  it("M1 cuts long texts, drops unknown candidates and takes null as absent", () => {
    const draft = {
      goal: "g".repeat(5_000),
      tasks: [{ id: "a", title: "t".repeat(900), tool: null, agent: null, note: null }],
      question: null,
      candidate_agents: ["finance", "made-up", 7],
    };
    const checked = checkPlan(draft, { agents: ["finance"] });
    expect(checked).toMatchObject({ status: "ok", plan: { status: "ok", candidate_agents: ["finance"] } });
    if (checked.status !== "ok") return;
    expect(checked.plan.goal).toHaveLength(1_000);
    expect(checked.plan.tasks[0]).toEqual({
      ...{ id: "a", title: `${"t".repeat(299)}…`, depends_on: [], parallelizable: true, status: "pending" },
    });
  });
});

describe("readyTasks and planProgress", () => {
  const task = (id: string, rest: object = {}) => ({ id, title: id, ...rest });

  it("M1 T13 a task that is not parallelizable waits for its turn and then is alone", () => {
    const tasks = [task("a"), task("b", { parallelizable: false }), task("c")];
    expect(readyTasks(planOf({ goal: "x", tasks })).map(({ id }) => id)).toEqual(["a", "c"]);
    const first = [task("b", { parallelizable: false }), task("a")];
    expect(readyTasks(planOf({ goal: "x", tasks: first })).map(({ id }) => id)).toEqual(["b"]);
  });

  it("M1 a plan is stuck if all that is left needs a blocked task", () => {
    const tasks = [
      task("a", { status: "done" }),
      task("b", { status: "blocked" }),
      task("c", { depends_on: ["b"] }),
    ];
    expect(planProgress(planOf({ goal: "x", tasks }))).toEqual({
      ...{ total: 3, done: 1, blocked: 1, pending: 1, ready: [], stuck: true },
    });
  });
});
