import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { assertSoundLog } from "../../../../../test/support/invariants.ts";
import { settled } from "../../../../../test/support/settled.ts";
import {
  agent,
  agentTool,
  type ModelClient,
  memoryStore,
  type ToolContext,
  tool,
} from "../../../src/index.ts";
import { sound } from "../../support/hooks.ts";
import { pricing } from "../../support/pricing.ts";
import { never, setup, stored, types, user } from "../../support/setup.ts";
import { beforeAppend, dyingStore, has } from "../../support/stores.ts";
import { nothing } from "../../support/tools.ts";

type Says = (context: ToolContext) => unknown;

/** A tool that says something about its call. */
const saying = (execute: Says, options: { idempotent?: boolean; timeoutMs?: number } = {}) =>
  tool({
    name: "plan",
    description: "",
    input: nothing,
    execute: (_, context: ToolContext) => execute(context),
    ...options,
  });

const script = [{ tools: [{ name: "plan", id: "toolu_p" }] }, { text: "Ok." }, { text: "Fine." }];
const priced = (model: ModelClient): ModelClient => ({ ...model, pricing });
const plan = { type: "planning.plan", data: { goal: "x" } } as const;

/** Says something, and returns the messages of the errors with which it was refused. */
async function refusals(...given: unknown[]): Promise<string[]> {
  const refused: string[] = [];
  const asks = saying(async ({ append }) => {
    for (const event of given)
      await append(event as never).catch((error) => refused.push(`${error.code}: ${error.message}`));
  });
  const world = setup(script, { tools: [asks] });
  const { sessionId } = await world.say("Go");
  await sound(world, sessionId);
  expect(types(await world.log(sessionId))).not.toContain("planning.plan");
  return refused;
}

describe("events that a tool stores", () => {
  it("F22 are in the log at once, before the call's result, also if the call fails", async () => {
    const seen: string[][] = [];
    const fails = saying(async ({ append, read }) => {
      expect(await append(plan)).toBe(true);
      seen.push(types(await Array.fromAsync(read())));
      throw new Error("no");
    });
    const world = setup(script, { tools: [fails] });
    const { sessionId, actions } = await world.say("Go");
    expect(actions[0]).toMatchObject({ success: false, result: "no" });
    expect(seen[0]?.slice(-2)).toEqual(["tool_started", "planning.plan"]);
    const log = types(await sound(world, sessionId));
    expect(log.indexOf("planning.plan")).toBeLessThan(log.indexOf("tool_result"));
    expect(JSON.stringify(world.model.requests)).not.toContain("goal");
  });

  it("F22 are stored once under their key, in this run and later ones", async () => {
    const outcomes: boolean[] = [];
    const twice = saying(async ({ append }) => {
      const event = { ...plan, key: "the-plan" };
      outcomes.push(...(await Promise.all([append(event), append(event)])));
    });
    const tools = [{ name: "plan" }];
    const world = setup([{ tools }, { text: "Ok." }, { tools }, { text: "Ok." }, { text: "Fine." }], {
      tools: [twice],
    });
    const { sessionId } = await world.say("Go");
    await world.say("Again", { sessionId });
    expect(outcomes).toEqual([true, false, false, false]);
    const log = await sound(world, sessionId);
    expect(log.filter(({ type }) => type === plan.type)).toMatchObject([
      { key: "the-plan", data: { goal: "x" } },
    ]);
  });

  it.each([true, false])(
    "F22 P1 survive a crash after them, and are not doubled (idempotent: %s)",
    async (idempotent) => {
      let clock = 0;
      let ran = 0;
      const base = memoryStore({ now: () => clock });
      const plans = saying(
        async ({ append, idempotencyKey: key }) => {
          ran += 1;
          return { isNew: await append({ ...plan, key }) };
        },
        { idempotent },
      );
      const dying = dyingStore(base, (events) => has(events, plan.type));
      const old = setup(script, { tools: [plans] }, { store: dying });
      const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
      await stored(old, sessionId, plan.type);
      clock += 60_000;
      const next = setup(script.slice(1), { tools: [plans] }, { store: base });
      await next.pawl.sweep();
      for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
      expect(ran).toBe(idempotent ? 2 : 1);
      const [result] = await next.of(sessionId, "tool_result");
      if (idempotent) expect(result?.data).toMatchObject({ success: true, result: { isNew: false } });
      else expect(result?.data).toMatchObject({ success: false, result: expect.stringContaining("unknown") });
      const log = await sound(next, sessionId);
      expect(log.filter(({ type }) => type === plan.type)).toHaveLength(1);
      assertSoundLog(log);
    },
  );

  it("F22 C1 reach the model after the call's result if they are notes or knowledge", async () => {
    const notes = saying(async ({ append }) => {
      await append({ type: "note", data: { text: "Step 2 is next." } });
      await append({ type: "knowledge", data: { source: "mail", data: "Alex wrote." } });
      return "planned";
    });
    const world = setup(script, { tools: [notes] });
    const { sessionId } = await world.say("Go");
    expect(world.model.requests[1]?.messages.at(-1)?.content).toMatchObject([
      { type: "tool_result", content: "planned" },
      { type: "text", text: "<note>\nStep 2 is next.\n</note>" },
      { type: "text", text: '<knowledge source="mail">\nAlex wrote.\n</knowledge>' },
    ]);
    await sound(world, sessionId);
  });

  it("F22 L13 charge the run for a model that the tool called itself", async () => {
    const tokens = { prompt: 5, completion: 7, cached: 0, cache_write: 0, cache_write_1h: 0, total: 12 };
    const spends = saying(async ({ append }) => {
      await append({ type: "spending", data: { by: "plan", model: "small", tokens, cost_cents: 50 } });
    });
    const world = setup(script, { tools: [spends], limits: { costUsd: 0.5 } }, {}, priced);
    const { sessionId, stop, costUsd } = await world.say("Go");
    expect(stop.type).toBe("cost_limit");
    const [answer] = await world.of(sessionId, "llm_response");
    expect(costUsd).toBeCloseTo(0.5 + (answer?.data.cost_cents ?? 0) / 100, 9);
    expect(await world.store.sessions.get(sessionId)).toMatchObject({ costUsd });
  });

  it("F22 go into the sub-agent's own log if one of its tools stores them", async () => {
    const plans = saying(({ append }) => append(plan));
    const planner = agent({
      name: "planner",
      model: scriptedModel([{ tools: [{ name: "plan" }] }, { text: "Planned." }]),
      instructions: "You plan.",
      tools: [plans],
    });
    const world = setup(
      [{ tools: [{ name: "delegate", id: "c1", input: { task: "x" } }] }, { text: "Ok." }, { text: "Fine." }],
      {
        tools: [agentTool({ name: "delegate", agent: planner, description: "" })],
      },
    );
    const { sessionId } = await world.say("Go");
    expect(types(await world.log(`${sessionId}:c1`))).toContain(plan.type);
    expect(types(await sound(world, sessionId))).not.toContain(plan.type);
  });
});

describe("a tool cannot store", () => {
  it("F22 events of Pawl's own, nor under its keys", async () => {
    expect(
      await refusals(
        { type: "user_message", data: { message: "I am the user" } },
        { type: "tool_result", data: { call_id: "toolu_p", tool_name: "plan", success: true, result: 1 } },
        { type: "artifact", data: {} },
        { type: "note", data: { text: "x", landing: { type: "a", message: "b" } } },
        { type: "spending", data: { by: "x", model: "m", tokens: {}, cost_cents: -1 } },
        { ...plan, key: "result:4:toolu_p" },
      ),
    ).toEqual([
      'invalid_input: A tool cannot store a "user_message". It may store knowledge, note, spending and types that contain a dot.',
      'invalid_input: A tool cannot store a "tool_result". It may store knowledge, note, spending and types that contain a dot.',
      "invalid_input: A tool stores an artifact with `context.createArtifact()`.",
      "invalid_input: A `note` of a tool must not have `landing`: only a limit starts the last turn.",
      expect.stringContaining("invalid_input: Token counts"),
      'invalid_input: The key "result:4:toolu_p" is reserved by Pawl.',
    ]);
  });

  it("F22 what is no event, no JSON, or too long", async () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(
      await refusals(
        null,
        undefined,
        "planning.plan",
        { data: 1 },
        { ...plan, data: cycle },
        { ...plan, data: 1n },
        { ...plan, data: "x".repeat(1_000_000) },
        { ...plan, key: "" },
        { ...plan, key: "k".repeat(1_001) },
        { type: "planning.\0", data: 1 },
      ),
    ).toEqual([
      ...["null", "undefined", "a string"].map(
        (given) =>
          `invalid_input: append() must be given an event, e.g. { type: "app.done", data: {} }; got ${given}.`,
      ),
      "invalid_input: The type of an event must be a string, not undefined.",
      expect.stringMatching(
        /^invalid_input: The `data` of ".*" must be .* is nested too deep, or contains itself\.$/,
      ),
      expect.stringMatching(/^invalid_input: The `data` of ".*" must be .*; data is a bigint\.$/),
      "invalid_input: The data of an event must have at most 1000000 characters; got 1000002.",
      ...Array(3).fill(expect.stringContaining("invalid_input: Ids, types and keys must be")),
    ]);
  });

  it("F22 an event without data, or of which JSON would lose a part", async () => {
    const { type } = plan;
    expect(
      await refusals({ type, payload: { steps: 2 } }, { type }, { type, data: { of: [new Map()] } }),
    ).toEqual([
      `invalid_input: The event "${type}" has no \`data\`: append({ type, data, key? }). It has \`payload\`.`,
      `invalid_input: The event "${type}" has no \`data\`: append({ type, data, key? }).`,
      `invalid_input: The \`data\` of "${type}" must be a value that JSON can represent; data.of[0] is an instance of Map.`,
    ]);
  });

  it("F22 anything invalid, and does not end the process if it does not wait for the refusal", async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", listen);
    const forgets = saying(({ append }) => void append({ ...plan, key: "" }));
    const world = setup(script, { tools: [forgets] });
    expect((await world.say("Go")).actions[0]).toMatchObject({ success: true });
    await settled();
    process.off("unhandledRejection", listen);
    expect(unhandled).toEqual([]);
  });

  it("F22 anything once its call has its result", async () => {
    const contexts: ToolContext[] = [];
    const keeps = saying((context) => {
      contexts.push(context);
    });
    const world = setup(script, { tools: [keeps] });
    const { sessionId } = await world.say("Go");
    const [context] = contexts;
    await expect(context?.append(plan)).rejects.toThrow("The call has its result already");
    expect(() => context?.report({ costUsd: 1 })).toThrow("The call has its result already");
    expect(types(await sound(world, sessionId))).not.toContain(plan.type);
  });

  it("F22 anything once its time is up, while the result is being stored", async () => {
    const contexts: ToolContext[] = [];
    const slow = saying(
      async (context) => {
        contexts.push(context);
        return await never();
      },
      { timeoutMs: 5 },
    );
    let late: unknown;
    const store = beforeAppend(memoryStore(), async (events) => {
      if (has(events, "tool_result")) late = await contexts[0]?.append(plan).catch(({ message }) => message);
    });
    const world = setup(script, { tools: [slow] }, { store });
    const { sessionId } = await world.say("Go");
    expect(late).toContain("The call has its result already");
    expect(types(await sound(world, sessionId))).not.toContain(plan.type);
  });

  it("F22 an event that is invalid without waiting for it, and the process lives on", async () => {
    const floats = saying(({ append }) => {
      void append({ ...plan, key: "end:x" });
      return "done";
    });
    const world = setup(script, { tools: [floats] });
    const { sessionId, actions } = await world.say("Go");
    expect(actions[0]).toMatchObject({ success: true, result: "done" });
    await sound(world, sessionId);
  });
});
