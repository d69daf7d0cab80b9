import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { type Hook, type ModelClient, memoryStore } from "../../src/index.ts";
import { pricing } from "../support/pricing.ts";
import { never, type Options, setup, stored, user } from "../support/setup.ts";
import { beforeAppend, has } from "../support/stores.ts";
import { hang, look } from "../support/tools.ts";

const looking = { tools: [{ name: "look", input: {} }] };

describe("what the log says of a limit", () => {
  const priced = (model: ModelClient): ModelClient => ({ ...model, pricing });

  it.each<[string, Options, object]>([
    ["turns", { limits: { turns: 2 } }, { turns: 2, resource: "turns", limit: 2, spent: 2, of: "request" }],
    [
      "the conversation's turns",
      { sessionLimits: { turns: 2 } },
      { turns: 2, resource: "turns", limit: 2, spent: 2, of: "conversation" },
    ],
    [
      "tool calls",
      { limits: { toolCalls: 1 } },
      { turns: 2, resource: "toolCalls", limit: 1, spent: 2, of: "request" },
    ],
    [
      "the text to be read, beside one that is further away",
      { limits: { inputTokens: 1, outputTokens: 100_000 } },
      { turns: 0, resource: "inputTokens", limit: 1, spent: 0, of: "request" },
    ],
    [
      "money, in cents",
      { limits: { costUsd: 0.000001 } },
      { turns: 0, resource: "costCents", limit: 0.0001, spent: 0, of: "request" },
    ],
    [
      "turns alone where a condition of one's own ends the run as a limit would",
      { stopWhen: [({ turns }) => (turns > 0 ? { type: "cost_limit", message: "No." } : undefined)] },
      { turns: 1 },
    ],
    ["turns alone where no resource ran out", { limits: { errorTurns: 1 }, tools: [] }, { turns: 1 }],
  ])("L3 names %s, with the limit and what was spent", async (_, options, context) => {
    const script = [looking, looking, { text: "Fine." }];
    const world = setup(script, { tools: [look], ...options }, {}, priced);
    const { sessionId } = await world.say("Go");
    expect((await world.of(sessionId, "error")).map(({ data }) => data.context)).toEqual([context]);
  });

  it("L3 counts the time at work", async () => {
    const clock = testClock();
    const store = memoryStore({ now: clock.now });
    const options = { tools: [hang], limits: { wallClockMs: 55_000 } };
    const world = setup([{ tools: [{ name: "hang", input: {} }] }], options, { testing: { clock }, store });
    const { id: sessionId } = await world.pawl.getOrCreateSession("tester", "u1");
    const running = world.say("Go", { sessionId });
    await stored(world, sessionId, "tool_started");
    await clock.advance(55_020);
    await running;
    expect((await world.of(sessionId, "error")).map(({ data }) => data.context)).toEqual([
      { turns: 1, resource: "wallClockMs", limit: 55_000, spent: 55_020, of: "request" },
    ]);
  });
});

it("L4 T5 says of a call that a crash cut short that the run ended before it finished", async () => {
  let now = 0;
  const store = memoryStore({ now: () => now });
  const dying = beforeAppend(store, async (events) => {
    if (has(events, "tool_result")) await never();
  });
  const slow: Hook = {
    name: "slow",
    beforeTurn: () => {
      now += 100;
      return undefined;
    },
  };
  const old = setup([looking], { tools: [look], hooks: [slow] }, { store: dying });
  const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
  await stored(old, sessionId, "tool_started");
  now += 60_000;
  const next = setup([{ text: "Fine." }], { tools: [look], limits: { wallClockMs: 50 } }, { store });
  expect(await next.pawl.sweep()).toBe(1);
  for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
  expect((await next.of(sessionId, "tool_result"))[0]?.data.result).toContain(
    "is unknown: the run ended before it finished.",
  );
});
