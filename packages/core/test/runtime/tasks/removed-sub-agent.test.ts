import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type Agent,
  type AgentOptions,
  agent,
  type Hook,
  runtime,
  type Tool,
  tool,
} from "../../../src/index.ts";
import { asking, family, ofType, sessionId, task } from "../../support/family.ts";
import { until, user } from "../../support/setup.ts";
import { dyingStore, has } from "../../support/stores.ts";
import { hang } from "../../support/tools.ts";

/** The caller in a version without its sub-agent, or with another one, in a process of its own. */
function deployed(
  world: ReturnType<typeof family>,
  tools: AgentOptions<unknown>["tools"] & {},
  hooks: readonly Hook[] = [],
) {
  const { name, instructions, model } = world.host;
  const host = agent({ name, instructions, model, tools, hooks, version: "2" });
  return runtime({ agents: [host], store: world.base, times: { abortGraceMs: 20, pollMs: 10 } });
}

it("F25 ends the task of a sub-agent that is gone with the run, although no process has its agent", async () => {
  const world = family(
    [{ tools: task("toolu_a") }, { text: "Done." }],
    [asking("First?"), { text: "Never said." }],
  );
  await world.say();
  const pawl = deployed(world, []);
  const { stop, actions } = await world.answer("toolu_a", "yes", pawl);
  expect(stop.type).toBe("end_turn");
  expect(actions[0]?.result).toBe(
    'The tool "researcher" was removed in version 2 of this agent. The call was not finished. What it had done before its question may have taken effect. The user had answered: {"text":"yes"}',
  );
  const child = `${sessionId}:toolu_a`;
  expect(await world.base.sessions.get(child)).toMatchObject({ openRun: null, pending: 0 });
  expect(ofType(await world.log(child), "run_ended")).toMatchObject([
    { data: { stop: { type: "aborted" } } },
  ]);
  // Nothing is known to have changed in the task's own agent.
  expect(ofType(await world.log(child), "agent_changed")).toEqual([]);
  expect(world.callee.requests).toHaveLength(1);
  await world.check();
});

it("F25 P5 gives the model the answer to a task whose tool is of another kind now, and does not run it", async () => {
  const world = family(
    [{ tools: task("toolu_a") }, { text: "Done." }],
    [asking("First?"), { text: "Never said." }],
  );
  await world.say();
  const ran: unknown[] = [];
  const plain = tool({
    name: "researcher",
    description: "Looks things up.",
    input: z.object({ task: z.string() }),
    idempotent: true,
    execute: (input) => void ran.push(input),
  });
  const { actions } = await world.answer("toolu_a", "yes", deployed(world, [plain]));
  expect(actions[0]?.result).toBe(
    'This tool has changed since its question was asked. The call was not finished. What it had done before its question may have taken effect. The user had answered: {"text":"yes"}',
  );
  expect(ran).toEqual([]);
  await world.check();
});

it("F25 P5 says that a task was cut off only if it was, and then has the answer too", async () => {
  const world = family(
    [{ tools: task("toolu_a") }, { text: "Done." }],
    [asking("First?"), { text: "word ".repeat(400), delayPerEventMs: 5 }],
  );
  await world.say();
  const second = world.boot();
  const answers = [{ callId: "toolu_a", value: { text: "yes" } }];
  await second.run("host", { ...user, sessionId, answers }).started;
  await until(() => world.callee.requests.length === 2);
  await second.drain({ timeoutMs: 0 });
  const pawl = deployed(world, []);
  await pawl.sweep();
  await until(async () => ofType(await world.log(), "run_ended").length > 0);
  const [result] = ofType(await world.log(), "tool_result");
  expect(result?.data).toMatchObject({
    success: false,
    result:
      'The outcome of this call is unknown: the process was cut off while it ran, and the tool "researcher" was removed in version 2 of this agent. It may or may not have taken effect; check before doing it again. The user had answered: {"text":"yes"}',
  });
  await world.check();
});

it("F25 P5 accepts the answer that a task's question showed, also if the sub-agent now needs another", async () => {
  const world = family(
    [{ tools: task("toolu_a") }, { text: "Done." }],
    [asking("First?"), { text: "Asked in vain." }],
  );
  await world.say();
  const ask = world.host.tools.get("researcher") as Tool & {
    delegate: { fixed: { agent: Agent } };
  };
  const { fixed } = ask.delegate;
  const stricter = tool({
    name: "ask",
    description: "Asks.",
    input: z.object({ q: z.string() }),
    suspends: { answer: z.object({ sure: z.boolean() }), kind: "question" },
  });
  const tools = new Map(fixed.agent.tools).set("ask", stricter as Tool);
  const changed = { ...fixed, agent: { ...fixed.agent, tools } };
  const other = { ...ask, delegate: { ...ask.delegate, fixed: changed } };
  const pawl = deployed(world, [other as Tool<unknown>]);
  expect((await world.answer("toolu_a", "yes", pawl)).stop.type).toBe("end_turn");
  const [result] = ofType(await world.log(`${sessionId}:toolu_a`), "tool_result");
  expect(result?.data).toMatchObject({
    success: false,
    result: expect.stringContaining("question has changed"),
  });
  await world.check();
});

it("F25 stops a task in the middle of its work, if the next version of the caller has no such agent", async () => {
  const world = family(
    [{ tools: task("toolu_a") }, { text: "Done." }],
    [{ text: "word ".repeat(400), delayPerEventMs: 5 }],
  );
  const first = world.boot();
  await world.base.sessions.create({ id: sessionId, userId: "u1", agent: "host" });
  await first.run("host", { ...user, sessionId, input: "Go" }).started;
  await until(() => world.callee.requests.length === 1);
  await first.drain({ timeoutMs: 0 });
  const pawl = deployed(world, []);
  expect(await pawl.sweep()).toBe(1);
  for await (const _ of pawl.follow(sessionId, { untilIdle: true }));
  const child = `${sessionId}:toolu_a`;
  expect((await world.base.sessions.get(child))?.openRun).toBeNull();
  expect(world.callee.requests).toHaveLength(1);
  await world.check();
});

describe("what a sub-agent has used is charged to the caller's run", () => {
  const child = `${sessionId}:toolu_a`;
  const script = [{ tools: task("toolu_a") }, { text: "Done." }];
  type World = ReturnType<typeof family>;

  /** The cost of a session's own model calls, in US cents. */
  async function ownCents(world: World, id: string): Promise<number> {
    const charged = (await world.log(id)).flatMap((event) =>
      event.type === "llm_response" || (event.type === "spending" && event.data.by === "lost_answer")
        ? [event.data.cost_cents]
        : [],
    );
    return charged.reduce((sum, cents) => sum + cents, 0);
  }

  /** Checks the totals of the caller's run, row and log: its own model calls, and its sub-agent's once. */
  async function chargedOnce(world: World): Promise<void> {
    const own = await ownCents(world, sessionId);
    const ofChild = await ownCents(world, child);
    expect(ofChild).toBeGreaterThan(0);
    expect(ofType(await world.log(), "error")).toEqual([]);
    const ends = (await world.log()).flatMap((event) =>
      event.type === "run_ended" ? [event.data.cost_cents] : [],
    );
    expect(ends).toEqual([expect.closeTo(own + ofChild, 9)]);
    const row = await world.base.sessions.get(sessionId);
    expect((row?.costUsd ?? 0) * 100).toBeCloseTo(own + ofChild, 9);
    expect((await world.base.sessions.get(child))?.openRun).toBeNull();
    await world.check();
  }

  /** Starts the run in a process that is drained while the sub-agent answers. */
  async function cutOff(world: World): Promise<void> {
    const first = world.boot();
    await world.base.sessions.create({ id: sessionId, userId: "u1", agent: "host" });
    await first.run("host", { ...user, sessionId, input: "Go" }).started;
    await until(() => world.callee.requests.length === 2);
    await first.drain({ timeoutMs: 0 });
  }
  const slow = [
    { tools: [{ name: "look", input: { n: 1 } }] },
    { text: "word ".repeat(400), delayPerEventMs: 5 },
  ];
  const finished = async (world: World, pawl: ReturnType<typeof deployed>) => {
    await pawl.sweep();
    await until(async () => ofType(await world.log(), "run_ended").length > 0);
  };

  it("F25 L13 also if the next version of the caller has no such agent", async () => {
    const world = family(script, slow);
    await cutOff(world);
    await finished(world, deployed(world, []));
    await chargedOnce(world);
    const [spending] = ofType(await world.log(), "spending");
    expect(spending?.data).toMatchObject({ by: "researcher", model: world.callee.id });
  });

  it("F25 L13 before the run's own effects, so that reservations count it", async () => {
    const seen: number[] = [];
    const counts: Hook = { name: "counts", afterRun: ({ costUsd }) => void seen.push(costUsd) };
    const world = family(script, slow);
    await cutOff(world);
    await finished(world, deployed(world, [], [counts]));
    await chargedOnce(world);
    const [ended] = ofType(await world.log(), "run_ended") as { data: { cost_cents: number } }[];
    expect(seen).toEqual([expect.closeTo((ended?.data.cost_cents ?? 0) / 100, 9)]);
  });

  it("F19 F25 L13 without the tools of the caller, whose function is not called for the sub-agent", async () => {
    const asked: string[] = [];
    const tools: AgentOptions<unknown>["tools"] = ({ session }) => {
      asked.push(session.id);
      return [];
    };
    const world = family(script, slow);
    await cutOff(world);
    await finished(world, deployed(world, tools));
    await chargedOnce(world);
    expect(new Set(asked)).toEqual(new Set([sessionId]));
  });

  it("L13 with its result if it fails, so that nothing is left to do at the run's end", async () => {
    const world = family(script, [{ text: "No.", stop: "refusal" }]);
    await world.say();
    await chargedOnce(world);
    expect(ofType(await world.log(), "tool_result")).toMatchObject([{ data: { success: false } }]);
    expect(ofType(await world.log(), "effect_started")).toEqual([]);
  });

  it.each(["effect_started", "spending", "effect_ended"])(
    "F25 L13 also if the process dies at the append of its %s",
    async (type) => {
      const world = family(script, slow);
      await cutOff(world);
      const store = dyingStore(world.base, (events, id) => id === sessionId && has(events, type));
      await deployed({ ...world, base: store }, []).sweep();
      await until(() => store.dead);
      world.boot();
      await finished(world, deployed(world, []));
      await chargedOnce(world);
    },
  );

  it("F25 L13 also if the agent had finished, and its tool is gone before its result is stored", async () => {
    const world = family(script, [{ text: "Found." }]);
    await world.base.sessions.create({ id: sessionId, userId: "u1", agent: "host" });
    const store = dyingStore(world.base, (events, id) => id === child && has(events, "run_ended"));
    await world.boot(store).run("host", { ...user, sessionId, input: "Go" }).started;
    await until(() => store.dead);
    world.boot();
    await finished(world, deployed(world, []));
    await chargedOnce(world);
  });

  it("L13 also if the run is stopped and the sub-agent's tool ignores its signal", async () => {
    const world = family(script, [{ tools: [{ name: "hang" }] }, { text: "Never." }], {
      callee: { tools: [hang] },
    });
    const pawl = world.boot();
    await world.base.sessions.create({ id: sessionId, userId: "u1", agent: "host" });
    const run = pawl.run("host", { ...user, sessionId, input: "Go" });
    await until(async () => ofType(await world.log(child), "tool_started").length > 0);
    await pawl.stop(sessionId, user);
    await run.result;
    await chargedOnce(world);
  });
});
