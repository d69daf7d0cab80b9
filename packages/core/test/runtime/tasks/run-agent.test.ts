import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Agent, memoryStore, runtime } from "../../../src/index.ts";
import { atEveryAppend, eventsOf, OWNER } from "../../support/every-append.ts";
import { asker, boot, caller, create, flowTool, run, worker } from "../../support/flows.ts";
import { until } from "../../support/setup.ts";

describe("context.runAgent() in a tool", () => {
  it("F35 E4 runs agents in a fixed order with a gate, charged to the run", async () => {
    const outline = worker("outline", () => ({ text: "An outline." }));
    const check = worker("check", () => ({ text: '{"good":true}' }), {
      output: z.object({ good: z.boolean() }),
    });
    const story = worker("story", (text) => ({ text: `A story: ${text.includes("An outline.")}` }));
    const flow = flowTool(async (_, { runAgent }) => {
      const { text } = await runAgent(outline, "Robots", { key: "outline" });
      const { output } = await runAgent(check, text, { key: "check" });
      if (!(output as { good: boolean }).good) return "no";
      return (await runAgent(story, text, { key: "story" })).text;
    });
    const store = memoryStore();
    const made = caller(flow);
    const result = await run(made, store);
    expect(result).toMatchObject({ text: '"A story: true"', stop: { type: "end_turn" }, turns: 2 });
    expect(result.usage).toMatchObject({ inputTokens: 300, outputTokens: 30 });
    expect(result.costUsd).toBeGreaterThan(0);
    const events = await Array.fromAsync(store.read("s"));
    const started = events.filter((event) => event.type === "task_started");
    expect(started.map(({ data }) => data)).toMatchObject(
      ["outline", "check", "story"].map((name) => ({
        by: "flow",
        agent: name,
        key: name,
        call_id: expect.any(String),
      })),
    );
    const below = (await store.sessions.list({ userId: "u" })).filter(({ id }) => id !== "s");
    expect(below.map(({ agent: name }) => name).sort()).toEqual([
      "caller/check",
      "caller/outline",
      "caller/story",
    ]);
    expect((await store.sessions.get("s"))?.costUsd).toBeCloseTo(result.costUsd);
  });

  it("F35 R2 E4 continues wherever the process dies, and runs and charges each task once", async () => {
    let models: Agent[] = [];
    const made = () => {
      const one = worker("one", () => ({ text: "1" }));
      const two = worker("two", () => ({ text: "2" }));
      models = [one, two];
      return caller(
        flowTool(async (_, { runAgent }) => {
          const first = await runAgent(one, "go", { key: "one" });
          return `${first.text} ${(await runAgent(two, first.text, { key: "two" })).text}`;
        }),
      ) as Agent;
    };
    const deaths = await atEveryAppend({
      agent: "caller",
      boot: (store) => boot(made)(store),
      check: ({ text, usage: used, stop }, all, where) => {
        expect({ where, text, type: stop.type }).toEqual({ where, text: '"1 2"', type: "end_turn" });
        expect(eventsOf(all, "task_started", "s")).toHaveLength(2);
        expect(eventsOf(all, "run_started")).toHaveLength(3);
        const over = eventsOf(all, "spending", "s").filter(({ data }) => data.task_over);
        expect(over).toHaveLength(2);
        // A lost answer is asked for again, and its prompt is charged as an estimate.
        const below = [...all.keys()]
          .filter((id) => id !== "s")
          .flatMap((id) => eventsOf(all, "run_ended", id));
        expect(used.outputTokens).toBe(below.reduce((sum, { data }) => sum + data.tokens.completion, 0));
        expect(used.outputTokens).toBe(20);
      },
    });
    expect(deaths).toBeGreaterThan(20);
    expect(models).toHaveLength(2);
  });

  it("F35 P1 P4 passes a question up to the user, wherever the process dies; doubled answers count once", async () => {
    let ran = 0;
    const made = () => {
      const helper = asker("helper");
      return caller(
        flowTool(async (_, { runAgent }) => {
          ran += 1;
          return (await runAgent(helper, "go", { key: "helper" })).text;
        }),
      ) as Agent;
    };
    const deaths = await atEveryAppend({
      agent: "caller",
      boot: (store) => boot(made)(store),
      answer: () => "yes" as never,
      check: ({ text, stop }, all, where) => {
        expect({ where, text, type: stop.type }).toEqual({ where, text: '"helper: yes"', type: "end_turn" });
        expect(eventsOf(all, "tool_answered")).toHaveLength(2);
        expect(eventsOf(all, "tool_suspended", "s")).toMatchObject([
          { data: { kind: "question", tool_name: "flow", child: {} } },
        ]);
        expect(eventsOf(all, "task_started")).toHaveLength(1);
      },
    });
    expect(deaths).toBeGreaterThan(20);
    expect(ran).toBeGreaterThan(deaths);
  });

  it("F35 P4 runs tasks at the same time, and passes their questions up one after the other", async () => {
    const helpers = ["a", "b"].map(asker);
    const plain = worker("c", () => ({ text: "c" }));
    const flow = flowTool(async (_, { runAgent }) => {
      const all = [...helpers, plain].map((one) => runAgent(one, "go", { key: one.name }));
      return (await Promise.all(all)).map(({ text }) => text).join();
    });
    const asked: string[] = [];
    const made = caller(flow);
    const result = await run(made, memoryStore(), (kind) => {
      asked.push(kind);
      return "yes";
    });
    expect(result.text).toBe('"a: yes,b: yes,c"');
    expect(asked).toEqual(["question", "question"]);
    expect(plain.model.requests).toHaveLength(1);
  });

  it("F35 P1 may be used beside the tool's own questions", async () => {
    const helper = asker("helper");
    const flow = flowTool(async (_, { runAgent, answered, ask }) => {
      const own = answered ?? ask({ kind: "own", payload: {}, answer: z.string() });
      const { text } = await runAgent(helper, "go", { key: "helper" });
      return `${own.value} ${text}`;
    });
    const kinds: string[] = [];
    const result = await run(caller(flow), memoryStore(), (kind) => {
      kinds.push(kind);
      return kind;
    });
    expect(result.text).toBe('"own helper: question"');
    expect(kinds).toEqual(["own", "question"]);
  });

  it("F35 gives the same task for the same key, also at the same time", async () => {
    const one = worker("one", () => ({ text: "1" }));
    const flow = flowTool(async (_, { runAgent }) => {
      const both = await Promise.all([runAgent(one, "a", { key: "k" }), runAgent(one, "b", { key: "k" })]);
      const again = await runAgent(one, "c", { key: "k" });
      return [...both, again].map(({ text }) => text).join();
    });
    const result = await run(caller(flow));
    expect(result.text).toBe('"1,1,1"');
    expect(one.model.requests).toHaveLength(1);
    expect(result.usage.inputTokens).toBe(100);
  });

  it("F35 L13 shares the run's budget among tasks that start at the same time", async () => {
    const workers = ["a", "b"].map((name) => worker(name, () => ({ text: name })));
    const flow = flowTool(async (_, { runAgent }) => {
      const all = workers.map((one) => runAgent(one, "go", { key: one.name, limits: { turns: 1 } }));
      return (await Promise.all(all)).length;
    });
    const store = memoryStore();
    await run(caller(flow, { limits: { costUsd: 1 } }), store);
    const events = await Array.fromAsync(store.read("s"));
    const slices = events.flatMap((event) => (event.type === "task_started" ? [event.data.slice] : []));
    expect(slices).toMatchObject([
      { costCents: 50, turns: 1 },
      { costCents: 50, turns: 1 },
    ]);
  });

  it("F35 L9 stops its task with the run, and charges it", async () => {
    const begun = Promise.withResolvers<void>();
    const slow = worker("slow", () => {
      begun.resolve();
      return { text: "Never read to its end.", latencyMs: 60_000 };
    });
    const flow = flowTool(async (_, { runAgent }) => (await runAgent(slow, "go", { key: "k" })).text);
    const made = caller(flow);
    const store = memoryStore();
    await create(store);
    const pawl = boot(() => made)(store);
    const handle = pawl.run("caller", { ...OWNER, input: "go" });
    await begun.promise;
    await pawl.stop("s", { userId: "u" });
    expect((await handle.result).stop.type).toBe("aborted");
    for (const { openRun } of await store.sessions.list({ userId: "u" })) expect(openRun).toBe(null);
  });

  it("F35 W4 ends a task that still waits when its run ends", async () => {
    const helper = asker("helper");
    const flow = flowTool(async (_, { runAgent }) => (await runAgent(helper, "go", { key: "k" })).text);
    const made = caller(flow);
    const store = memoryStore();
    await run(made, store);
    // Another process, which has not seen the agent.
    const pawl = boot(() => caller(flow))(store);
    await pawl.stop("s", { userId: "u" });
    await until(async () => (await store.sessions.get("s"))?.openRun === null);
    for (const { openRun } of await store.sessions.list({ userId: "u" })) expect(openRun).toBe(null);
    const events = await Array.fromAsync(store.read("s"));
    const charged = events.flatMap((event) => (event.type === "spending" ? [event.data.tokens.prompt] : []));
    expect(charged).toEqual([100]);
  });

  it("F35 Q1 waits for no place of its own", async () => {
    const one = worker("one", () => ({ text: "1" }));
    const flow = flowTool(async (_, { runAgent }) => (await runAgent(one, "go", { key: "k" })).text);
    const made = caller(flow);
    const pawl = runtime({ agents: [made], store: memoryStore(), concurrency: 1 });
    expect((await pawl.run("caller", { userId: "u", input: "go" }).result).text).toBe('"1"');
  });

  it("F35 T8 shows the agent's text to readers, if that is wanted", async () => {
    const one = worker("one", () => ({ text: "Slowly written.", delayPerEventMs: 5 }));
    const flow = flowTool(
      async (_, { runAgent }) => (await runAgent(one, "go", { key: "k", shows: "text" })).text,
    );
    const pawl = boot(() => caller(flow))(memoryStore());
    const deltas: unknown[] = [];
    for await (const event of pawl.run("caller", { userId: "u", input: "go" }))
      if (event.type === "agent_delta") deltas.push(event.data);
    expect(deltas[0]).toMatchObject({
      agent: "one",
      tool_name: "flow",
      call_id: expect.stringMatching(/^toolu_/),
    });
  });

  it("F35 resolves with why the agent has stopped, if it is not done", async () => {
    const one = worker("one", () => ({ tools: [{ name: "ask", input: {} }] }), {
      tools: [flowTool(() => "", { name: "ask" })],
      limits: { turns: 2 },
    });
    const flow = flowTool(async (_, { runAgent }) => (await runAgent(one, "go", { key: "k" })).stop.type);
    expect((await run(caller(flow))).text).toBe('"turn_limit"');
  });

  it.each<[string, (one: Agent) => unknown[], RegExp]>([
    [
      "no agent",
      () => [{}, "go", { key: "k" }],
      /must be given an agent that agent\(\) has made; got an object/,
    ],
    ["no key", (one) => [one, "go", {}], /`key`/],
    ["an empty key", (one) => [one, "go", { key: "" }], /`key` must have 1 to 200 characters/],
    ["a blank input", (one) => [one, " ", { key: "k" }], /must be a text that is not blank/],
    [
      "a wrong limit",
      (one) => [one, "go", { key: "k", limits: { turn: 1 } }],
      /`limits` of context.runAgent\(\) must be numbers above 0, named/,
    ],
  ])("F35 refuses %s", async (_, args, message) => {
    const one = worker("one", () => ({ text: "1" }));
    const flow = flowTool(
      async (_input, { runAgent }) => (await runAgent(...(args(one) as [never, never, never]))).text,
    );
    expect((await run(caller(flow))).text).toMatch(message);
  });

  it("F35 refuses the key of another agent's task, and a question in a tool that asks before it runs", async () => {
    const one = worker("one", () => ({ text: "1" }));
    const two = worker("two", () => ({ text: "2" }));
    const mixed = flowTool(async (_, { runAgent }) => {
      await runAgent(one, "go", { key: "k" });
      await runAgent(two, "go", { key: "k" });
    });
    expect((await run(caller(mixed))).text).toMatch(
      /The key \\"k\\" is taken by a task of the agent \\"one\\"/,
    );
    const helper = asker("helper");
    const asks = flowTool(async (_, { runAgent }) => (await runAgent(helper, "go", { key: "k" })).text, {
      suspends: { answer: z.string(), kind: "first" },
    });
    const { text } = await run(caller(asks), memoryStore(), () => "yes");
    expect(text).toMatch(/A tool with `suspends` cannot pass that on/);
  });
});
