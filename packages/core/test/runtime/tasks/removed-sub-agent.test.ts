import { expect, it } from "vitest";
import * as z from "zod";
import { type Agent, agent, runtime, type Tool, tool } from "../../../src/index.ts";
import { asking, family, ofType, sessionId, task } from "../../support/family.ts";
import { until, user } from "../../support/setup.ts";

/** The caller in a version without its sub-agent, or with another one, in a process of its own. */
function deployed(world: ReturnType<typeof family>, tools: readonly Tool<unknown>[]) {
  const { name, instructions, model } = world.host;
  const host = agent({ name, instructions, model, tools, version: "2" });
  return runtime({ agents: [host], store: world.base, abortGraceMs: 20, pollMs: 10 });
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
    'The outcome of this call is unknown: the process was cut off while it ran, and the tool "researcher" was removed in version 2 of this agent. It may or may not have taken effect; check before doing it again.',
  );
  const child = `${sessionId}:toolu_a`;
  expect(await world.base.sessions.get(child)).toMatchObject({ openRun: null, pending: 0 });
  expect(ofType(await world.log(child), "run_ended")).toMatchObject([
    { data: { stop: { type: "aborted" } } },
  ]);
  expect(world.callee.requests).toHaveLength(1);
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
