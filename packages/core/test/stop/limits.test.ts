import { type Reply, strictModel, testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  agent,
  agentTool,
  type ModelClient,
  memoryStore,
  PawlError,
  runtime,
  tool,
} from "../../src/index.ts";
import { pricing } from "../support/pricing.ts";
import { never, type Options, type Setup, setup, stored } from "../support/setup.ts";
import { hang } from "../support/tools.ts";

const look = tool({
  name: "look",
  description: "Looks.",
  input: z.object({ n: z.number() }),
  execute: ({ n }) => `seen ${n}`,
});
const looking = (...numbers: number[]): Reply => ({
  tools: numbers.map((n) => ({ name: "look", input: { n } })),
});
/** Never returns and ignores its signal. */
const ask = tool({
  name: "ask",
  description: "Asks.",
  input: z.object({}),
  suspends: { answer: z.object({ text: z.string() }) },
});

function timed(script: readonly Reply[], options: Options = {}) {
  const clock = testClock();
  const store = memoryStore({ now: clock.now });
  const world = setup(script, { tools: [look, hang, ask], ...options }, { testing: { clock }, store });
  return { ...world, clock };
}

/** The log is sound, nothing invalid was sent, and the session can be continued. */
async function goesOn(world: Setup, sessionId: string): Promise<void> {
  expect((await world.say("And now?", { sessionId })).stop.type).toBe("end_turn");
  expect(world.model.rejected).toEqual([]);
  const log = await world.log(sessionId);
  const calls = log.filter(({ type }) => type === "tool_call").length;
  expect(log.filter(({ type }) => type === "tool_result")).toHaveLength(calls);
}

const sessionOf = async (world: Setup) => (await world.pawl.getOrCreateSession("tester", "u1")).id;

describe("time", () => {
  it("L4 ends at the deadline although a tool never returns and ignores its signal", async () => {
    const world = timed([{ tools: [{ name: "hang", input: {} }] }, { text: "Fine." }], {
      limits: { wallClockMs: 55_000 },
    });
    const sessionId = await sessionOf(world);
    const running = world.say("Go", { sessionId });
    await stored(world, sessionId, "tool_started");
    await world.clock.advance(54_999);
    expect(await world.of(sessionId, "run_ended")).toEqual([]);
    await world.clock.advance(21);
    const result = await running;
    expect(result.stop).toEqual({
      type: "deadline",
      message: "I stopped here: the time limit of 55 s for one request is reached.",
    });
    expect(result.actions[0]).toMatchObject({ success: false });
    expect(await world.of(sessionId, "error")).toMatchObject([{ data: { code: "deadline" } }]);
    expect((await world.pawl.view(sessionId, { userId: "u1" })).session.status).toBe("error");
    await goesOn(world, sessionId);
  });

  it("L4 ends at the deadline in the middle of a stalled stream", async () => {
    const world = timed([{ text: "Half an answer", fault: { stall: 5 } }, { text: "Fine." }], {
      limits: { wallClockMs: 10_000 },
    });
    const sessionId = await sessionOf(world);
    const run = world.pawl.run("tester", { userId: "u1", sessionId, input: "Go" });
    let text = "";
    run.on("text_delta", ({ data }) => {
      text += data.text;
    });
    while (text === "") await world.clock.advance(1);
    await world.clock.advance(10_020);
    expect((await run.result).stop.type).toBe("deadline");
    const [partial] = await world.of(sessionId, "assistant_message");
    expect(partial?.data).toMatchObject({ disposition: "partial", stop_reason: null });
    await goesOn(world, sessionId);
  });

  it("L4 abandons a model that ignores its signal", async () => {
    const clock = testClock();
    const deaf: ModelClient = {
      id: "deaf",
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }),
    };
    const made = agent({ name: "a", model: deaf, instructions: "Go.", limits: { wallClockMs: 1_000 } });
    const pawl = runtime({
      agents: [made],
      store: memoryStore({ now: clock.now }),
      testing: { clock },
      times: { abortGraceMs: 20 },
    });
    const run = pawl.run("a", { userId: "u1", input: "Go" });
    await run.started;
    await clock.advance(1_020);
    expect((await run.result).stop.type).toBe("deadline");
  });

  it("L4 counts the legs together and not the waiting between them", async () => {
    const world = timed([{ tools: [{ name: "ask", input: {} }] }, { tools: [{ name: "hang", input: {} }] }], {
      limits: { wallClockMs: 10_000 },
      hooks: [
        {
          name: "slow",
          beforeTurn: () => new Promise((go) => world.clock.after(4_000, () => go(undefined))),
        },
      ],
    });
    const sessionId = await sessionOf(world);
    const first = world.say("Go", { sessionId });
    await world.clock.advance(1);
    await world.clock.advance(4_000);
    const [question] = (await first).pending;
    await world.clock.advance(3_600_000);
    const second = world.answer(sessionId, question?.callId ?? "", { text: "yes" });
    await world.clock.advance(4_000);
    await stored(world, sessionId, "tool_started");
    await world.clock.advance(1_990);
    expect(await world.of(sessionId, "run_ended")).toEqual([]);
    await world.clock.advance(30);
    expect((await second).stop.type).toBe("deadline");
  });

  it("L4 does not take a late result for work that goes on while a question waits", async () => {
    const gate = Promise.withResolvers<string>();
    const late = tool({
      name: "late",
      description: "Comes back when nobody waits any more.",
      input: z.object({}),
      timeoutMs: 1_000,
      execute: () => gate.promise,
    });
    const asking: Reply = { tools: [{ name: "ask", input: {} }] };
    const again: Reply = { tools: [{ name: "ask", input: { again: true } }] };
    const world = timed([{ tools: [{ name: "late" }, ...(asking.tools ?? [])] }, again, { text: "Fine." }], {
      tools: [late, ask],
      limits: { wallClockMs: 10_000 },
    });
    const sessionId = await sessionOf(world);
    const first = world.say("Go", { sessionId });
    await stored(world, sessionId, "tool_started");
    await world.clock.advance(1_000);
    const [question] = (await first).pending;
    gate.resolve("too late");
    await stored(world, sessionId, "error");
    await world.clock.advance(3_600_000);
    const [next] = (await world.answer(sessionId, question?.callId ?? "", { text: "yes" })).pending;
    const last = await world.answer(sessionId, next?.callId ?? "", { text: "yes" });
    expect(last.stop.type).toBe("end_turn");
  });

  it.each(["limits", "sessionLimits"])(
    "L4 lands within the time of %s: hanging work is abandoned, and the user gets a proper answer",
    async (of) => {
      const world = timed(
        [{ tools: [{ name: "hang", input: {} }] }, { text: "I got this far." }, { text: "Fine." }],
        {
          [of]: { wallClockMs: 10_000 },
          onLimit: "land",
        },
      );
      const sessionId = await sessionOf(world);
      const running = world.say("Go", { sessionId });
      await stored(world, sessionId, "tool_started");
      await world.clock.advance(7_900);
      expect(await world.of(sessionId, "note")).toEqual([]);
      await world.clock.advance(200);
      const result = await running;
      expect(result).toMatchObject({ stop: { type: "deadline" }, text: "I got this far.", turns: 2 });
      expect(world.model.requests[1]?.tool_choice).toEqual({ type: "none" });
      expect(world.model.requests[1]?.tools).toEqual(world.model.requests[0]?.tools);
      expect((await world.pawl.view(sessionId, { userId: "u1" })).session.status).toBe("active");
      expect(await world.of(sessionId, "error")).toMatchObject([{ data: { code: "deadline" } }]);
      if (of === "limits") await goesOn(world, sessionId);
    },
  );

  it("L4 keeps no time back where there is no limit", async () => {
    const world = setup([looking(1), { text: "Fine." }], {
      tools: [look],
      limits: { wallClockMs: Number.POSITIVE_INFINITY },
      onLimit: "land",
    });
    const result = await world.say("Go");
    expect([result.stop.type, await world.of(result.sessionId, "note")]).toEqual(["end_turn", []]);
  });

  it("L4 also lands if the answer is cut off in its middle: its text stays, and a proper answer follows", async () => {
    const world = timed(
      [{ text: "Half an answer", fault: { stall: 5 } }, { text: "I got this far." }, { text: "Fine." }],
      { limits: { wallClockMs: 10_000 }, onLimit: "land" },
    );
    const sessionId = await sessionOf(world);
    const run = world.pawl.run("tester", { userId: "u1", sessionId, input: "Go" });
    let text = "";
    run.on("text_delta", ({ data }) => {
      text += data.text;
    });
    while (text === "") await world.clock.advance(1);
    await world.clock.advance(8_100);
    const result = await run.result;
    expect(result).toMatchObject({ stop: { type: "deadline" }, turns: 2 });
    expect(result.text).toMatch(/^Half.*\n\nI got this far\.$/s);
    expect(world.model.requests[1]?.messages.at(-1)).toMatchObject({ role: "user" });
    await goesOn(world, sessionId);
  });

  it("L4 ends hard when the last turn takes too long as well", async () => {
    const stalled: Reply = { text: "I got this", fault: { stall: 4 } };
    const world = timed([{ tools: [{ name: "hang", input: {} }] }, stalled, { text: "Fine." }], {
      limits: { wallClockMs: 10_000 },
      onLimit: "land",
    });
    const sessionId = await sessionOf(world);
    const running = world.say("Go", { sessionId });
    await stored(world, sessionId, "tool_started");
    await world.clock.advance(8_100);
    expect(await world.of(sessionId, "run_ended")).toEqual([]);
    await world.clock.advance(2_000);
    expect((await running).stop.type).toBe("deadline");
    expect((await world.pawl.view(sessionId, { userId: "u1" })).session.status).toBe("error");
    await goesOn(world, sessionId);
  });
});

it("L4 lands by its timer where the clock has been set back", async () => {
  const clock = testClock();
  const world = setup(
    [{ tools: [{ name: "hang", input: {} }] }, { text: "So far." }],
    { tools: [hang], limits: { wallClockMs: 10_000 }, onLimit: "land" },
    { testing: { clock: { after: clock.after, now: () => 0 } } },
  );
  const sessionId = await sessionOf(world);
  const running = world.say("Go", { sessionId });
  await stored(world, sessionId, "tool_started");
  await clock.advance(8_100);
  expect(await running).toMatchObject({ stop: { type: "deadline" }, text: "So far." });
});

describe("turns and calls", () => {
  it("L3 keeps the last turn for a proper answer", async () => {
    const world = setup([looking(1), looking(2), { text: "That is all I could do." }, { text: "Fine." }], {
      tools: [look],
      limits: { turns: 3 },
      onLimit: "land",
    });
    const result = await world.say("Go");
    expect(result).toMatchObject({ stop: { type: "turn_limit" }, turns: 3, text: "That is all I could do." });
    expect(world.model.requests.map((request) => request.tool_choice?.type)).toEqual([
      undefined,
      undefined,
      "none",
    ]);
    await goesOn(world, result.sessionId);
  });

  it("L13 refuses the calls that are too many, and ends", async () => {
    const world = setup([looking(1, 2), looking(3, 4, 5), { text: "Fine." }], {
      tools: [look],
      limits: { toolCalls: 3 },
    });
    const result = await world.say("Go");
    expect(result.stop.type).toBe("tool_call_limit");
    expect(result.actions.map(({ success }) => success)).toEqual([true, true, true, false, false]);
    await goesOn(world, result.sessionId);
  });

  it("L13 lets the model speak after the last call that is allowed", async () => {
    const world = setup([looking(1, 2), { text: "Fine." }], { tools: [look], limits: { toolCalls: 2 } });
    expect(await world.say("Go")).toMatchObject({ stop: { type: "end_turn" }, text: "Fine." });
  });

  it("L3 L13 counts over all runs of a session if configured", async () => {
    const world = setup([looking(1), { text: "One." }, looking(2), { text: "Two." }, { text: "never" }], {
      tools: [look],
      sessionLimits: { turns: 3 },
    });
    const { sessionId } = await world.say("Go");
    const second = await world.say("Go", { sessionId });
    expect(second.stop).toEqual({
      type: "turn_limit",
      message: "I stopped here: the limit of 3 steps for one conversation is reached.",
    });
    expect(second.turns).toBe(1);
    expect((await world.say("Go", { sessionId })).turns).toBe(0);
  });
});

describe("tokens and cost", () => {
  it("cuts max_tokens to what is left, and ends before a call that does not fit", async () => {
    const world = setup([looking(1), looking(2), { text: "never" }], {
      tools: [look],
      maxTokens: 2_000,
      limits: { outputTokens: 1_000 },
    });
    const result = await world.say("Go");
    const [first, second] = world.model.requests.map((request) => request.max_tokens);
    expect(first).toBe(1_000);
    expect(second).toBeLessThan(1_000);
    expect(result.usage.outputTokens).toBeLessThanOrEqual(1_000);
    const used = await setup([looking(1), looking(2)], { tools: [look], limits: { outputTokens: 256 } }).say(
      "Go",
    );
    expect(used.stop.type).toBe("token_limit");
  });

  it("ends before a prompt that is too long for what is left", async () => {
    const world = setup([{ text: "never" }], {
      instructions: "x".repeat(4_000),
      limits: { inputTokens: 1_000 },
    });
    const result = await world.say("Go");
    expect(result).toMatchObject({ stop: { type: "token_limit" }, turns: 0 });
    expect(world.model.requests).toEqual([]);
  });

  it("O1 O2 keeps within the cost limit by estimate, and lands within it", async () => {
    const priced = (model: ModelClient): ModelClient => ({ ...model, pricing });
    const script = [...Array.from({ length: 40 }, (_, n) => looking(n)), { text: "never" }];
    const limits = { costUsd: 0.02, turns: 100 };
    for (const onLimit of ["stop", "land"] as const) {
      const world = setup(script, { tools: [look], maxTokens: 1_000, limits, onLimit }, {}, priced);
      const result = await world.say("Go");
      expect(result.stop.type).toBe("cost_limit");
      expect(result.turns).toBeGreaterThan(1);
      expect(result.costUsd).toBeLessThanOrEqual(0.02);
      expect(world.model.requests.at(-1)?.tool_choice?.type).toBe(onLimit === "land" ? "none" : undefined);
      expect(world.model.rejected).toEqual([]);
    }
  });

  it("O1 refuses an agent without prices as a tool of one that has a limit on cost", () => {
    const free = agent({ name: "free", instructions: "Free.", model: strictModel({}) });
    const make = (limits: { costUsd?: number }) => () =>
      agent({
        name: "host",
        instructions: "Go.",
        model: strictModel({ pricing }),
        tools: [agentTool({ agent: free, description: "Works." })],
        limits,
      });
    expect(make({ costUsd: 0.03 })).toThrow(/no prices/);
    expect(make({})).not.toThrow();
  });
});

describe("the message for the user", () => {
  it("L3 L8 is the agent's own, and never blank", async () => {
    const stopMessages = { turn_limit: "Let us go on tomorrow.", refusal: "  " };
    const world = setup([looking(1), { text: "x", stop: "refusal" }], {
      tools: [look],
      limits: { turns: 1 },
      stopMessages,
    });
    const { stop, sessionId } = await world.say("Go");
    expect(stop.message).toBe("Let us go on tomorrow.");
    const { messages } = await world.pawl.view(sessionId, { userId: "u1" });
    expect(JSON.stringify(messages.at(-1))).toContain("Let us go on tomorrow.");
    expect((await world.say("Go", { sessionId })).stop.message).toBe("I cannot help with this.");
  });

  it.each<[string, Options]>([
    ["a turn", { limits: { turns: 0 } }],
    ["no number", { sessionLimits: { costUsd: Number.NaN } }],
    ["a cost limit without prices", { limits: { costUsd: 0.05 } }],
    ["two hooks of one name", { hooks: [{ name: "a" }, { name: "a" }] }],
  ])("refuses an agent with %s when it is defined", (_title, options) => {
    const unpriced = ({ id, stream }: ModelClient): ModelClient => ({ id, stream });
    expect(() => setup([], options, {}, unpriced)).toThrow(PawlError);
  });
});
