import { type Reply, testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { assertRebuilds } from "../../../../../test/support/rebuild.ts";
import { agent, agentTool, answering, jsonSchema, memoryStore, tool } from "../../../src/index.ts";
import { type Options, setup, stored, user } from "../../support/setup.ts";
import { echoTool, hang } from "../../support/tools.ts";

const weather = z.object({ city: z.string().min(2), celsius: z.number().max(60) });
const oslo = { city: "Oslo", celsius: 12 };
/** A model with output formats, and one that has to call a tool. */
const WAYS = [
  ["by its output format", { outputFormat: true }],
  ["by a forced tool", { outputFormat: false }],
  ["by a tool that it cannot be forced to call", { outputFormat: false, model: "claude-opus-5-5" }],
] as const;

const world = (script: Reply[], more: object = {}, options: Options = {}, store = memoryStore()) =>
  setup({ script, ...more }, { output: weather, tools: [echoTool], ...options }, { store });
const call = { name: "echo", input: { text: "a" } };

describe.each(WAYS)("an agent with an output, whose model gives it %s", (_, more) => {
  it("F2 ends with a valid output", async () => {
    const test = world([{ tools: [call] }, { output: oslo }, { output: { ...oslo, city: "Rome" } }], more);
    const result = await test.say("Oslo?");
    expect(result).toMatchObject({ stop: { type: "end_turn" }, output: oslo, text: "" });
    const { sessionId } = result;
    expect((await test.say("Rome?", { sessionId })).output).toEqual({ ...oslo, city: "Rome" });
    expect(await test.of(sessionId, "output")).toHaveLength(2);
    expect(await test.of(sessionId, "prefix")).toHaveLength(1);
    expect(test.model.rejected).toEqual([]);
    await assertRebuilds([await test.log(sessionId)], test.model.requests as never);
  });

  it("F2 reminds the model once of the schema, with what is wrong", async () => {
    const test = world([{ output: { city: "O", celsius: 12 } }, { output: oslo }], more);
    const { output, sessionId } = await test.say("Oslo?");
    expect(output).toEqual(oslo);
    const [first, second, ...others] = await test.of(sessionId, "output");
    expect(first?.data).toMatchObject({ reminder: true, problem: expect.stringMatching(/city: Too small/) });
    expect(second?.data.value).toEqual(oslo);
    expect(others).toEqual([]);
    expect(JSON.stringify(test.model.requests[1])).toContain("city: Too small");
    expect(test.model.rejected).toEqual([]);
  });

  it("F2 ends with a typed reason if the output is wrong again, and goes on in the next run", async () => {
    const wrong = { output: { city: "Oslo", celsius: 99 } };
    const test = world([wrong, wrong, { output: oslo }], more);
    const result = await test.say("Oslo?");
    expect(result.stop).toMatchObject({ type: "invalid_output", cause: expect.stringContaining("celsius") });
    expect(result).not.toHaveProperty("output");
    const { sessionId } = result;
    expect(await test.of(sessionId, "error")).toMatchObject([{ data: { code: "invalid_output" } }]);
    expect((await test.say("Again", { sessionId })).output).toEqual(oslo);
    expect(test.model.rejected).toEqual([]);
  });

  it.each<[string, Reply, string]>([
    ["a refusal", { text: "No.", stop: "refusal" }, "refusal"],
    ["a cut answer", { output: oslo, clip: 10 }, "max_tokens"],
    ["a full context window", { text: "{", stop: "model_context_window_exceeded" }, "context_window"],
    ["a failing model", { fault: { status: 400 } }, "error"],
  ])("F2 ends with a typed reason after %s", async (_what, reply, stop) => {
    if (stop === "error") expectPrinted("pawl: invalid_request_error");
    const test = world([reply], more);
    const result = await test.say("Oslo?");
    expect(result.stop.type).toBe(stop);
    expect(result).not.toHaveProperty("output");
  });

  it.each<[string, Reply]>([
    ["empty answers", { content: [] }],
    ["answers in prose", { text: "It is warm." }],
  ])("F2 reminds once of %s, and then ends", async (_what, reply) => {
    const test = world([reply, reply], more);
    const result = await test.say("Oslo?");
    expect(result.stop.type).toBe("invalid_output");
    expect(test.model.requests).toHaveLength(2);
    expect(test.model.rejected).toEqual([]);
  });

  it("F2 gives the output in the last turn when a limit is reached", async () => {
    const test = world([{ tools: [call] }, { output: oslo }], more, { limits: { turns: 2 } });
    const result = await test.say("Oslo?");
    expect(result).toMatchObject({ stop: { type: "turn_limit" }, output: oslo, turns: 2 });
    expect(test.model.rejected).toEqual([]);
    const { tool_choice } = test.model.requests[1] ?? {};
    if (!more.outputFormat) expect(tool_choice).not.toEqual({ type: "none" });
  });

  it("F2 reminds in the last turn too, if the limits allow another", async () => {
    const pricing = { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 };
    const limits = { turns: 10, costUsd: 0.02 };
    const usage = { input_tokens: 100, output_tokens: 12_000 };
    const script = [{ tools: [call], usage }, { output: { city: "O" } }, { output: oslo }];
    const test = world(script, { ...more, pricing }, { limits, maxTokens: 1_500 });
    const result = await test.say("Oslo?");
    expect(result.stop.type).toMatch(/end_turn|cost_limit/);
    expect(result.output).toEqual(oslo);
  });

  it("F2 takes the output of strings and unions, wrapped for the API", async () => {
    const test = world([{ output: "warm" }], more, { output: z.union([z.string(), z.number()]) });
    expect((await test.say("Oslo?")).output).toBe("warm");
    expect(test.model.rejected).toEqual([]);
  });

  it("F2 applies transforms, and takes optional fields and records", async () => {
    const output = z.object({
      at: z.iso.date().transform((text) => new Date(text)),
      note: z.string().optional(),
    });
    const test = world([{ output: { at: "2026-11-23" } }], more, { output });
    expect((await test.say("When?")).output).toEqual({ at: "2026-11-23T00:00:00.000Z" });
    const records = world([{ output: { a: 1 } }], more, { output: z.record(z.string(), z.number()) });
    expect((await records.say("What?")).output).toEqual({ a: 1 });
    expect([...test.model.rejected, ...records.model.rejected]).toEqual([]);
  });

  it("F2 is not ended by a message that has waited, but answers it", async () => {
    const test = world([{ output: oslo, latencyMs: 50 }, { output: { ...oslo, celsius: 5 } }], more);
    const first = test.pawl.run("tester", { userId: "u1", input: "Oslo?" });
    const { sessionId } = await first.started;
    await test.say("In winter?", { sessionId, whenBusy: "queue" });
    expect((await first.result).output).toEqual({ ...oslo, celsius: 5 });
    expect(test.model.rejected).toEqual([]);
  });
});

describe("an agent with an output", () => {
  it("F2 refuses an output beside other calls, whose results the model has not read", async () => {
    const script = [{ tools: [call], output: oslo }, { output: oslo }];
    const test = world(script, { outputFormat: false });
    const { output, sessionId, actions } = await test.say("Oslo?");
    expect(output).toEqual(oslo);
    expect(actions).toMatchObject([{ tool: "echo", success: true }]);
    const [early] = await test.of(sessionId, "output");
    expect(early?.data).toMatchObject({ problem: expect.stringContaining("Not taken") });
    expect(early?.data).not.toHaveProperty("reminder");
    expect(test.model.rejected).toEqual([]);
  });

  it("F2 acts through tools only, and ends with the output", async () => {
    const test = world([{ tools: [call] }, { output: oslo }], {}, { toolOnly: true });
    expect(await test.say("Oslo?")).toMatchObject({ output: oslo, stop: { type: "end_turn" } });
    expect(test.model.requests[0]).not.toHaveProperty("output_config");
    expect(test.model.rejected).toEqual([]);
  });

  it("F2 takes an answer of answering() that is valid, and ends with a reason otherwise", async () => {
    const answered = (text: string) => [{ name: "cached", beforeTurn: () => ({ model: answering(text) }) }];
    const valid = world([], {}, { hooks: answered(JSON.stringify(oslo)) });
    expect((await valid.say("Oslo?")).output).toEqual(oslo);
    const invalid = world([], {}, { hooks: answered("Not today.") });
    expect(await invalid.say("Oslo?")).toMatchObject({
      stop: { type: "invalid_output" },
      text: "Not today.",
    });
  });

  it("F2 ends with a typed reason if the schema itself fails", async () => {
    const output = z.object({ city: z.string() }).transform(() => {
      throw new Error("no such city");
    });
    const errors: unknown[] = [];
    const test = setup(
      { script: [{ output: oslo }] },
      { output },
      { onError: (error) => errors.push(error) },
    );
    expect((await test.say("Oslo?")).stop).toMatchObject({ type: "invalid_output" });
    expect(errors).toMatchObject([{ message: "no such city" }]);
  });

  it("F2 gives its output as the result of a sub-agent", async () => {
    const below = world([{ tools: [call] }, { output: oslo }]);
    const script = [{ tools: [{ name: "below", input: { task: "Oslo" } }] }, { text: "Warm." }];
    const { output: _, ...rest } = below.agent;
    const sub = agent({
      ...rest,
      output: weather,
      name: "below",
      tools: [echoTool],
      hooks: [],
      stopWhen: [],
    });
    const caller = setup(script, { tools: [agentTool({ agent: sub, description: "Looks." })] });
    const { actions } = await caller.say("Oslo?");
    expect(actions[0]).toMatchObject({ result: oslo, success: true });
  });

  it("F2 is made of another agent's fields", () => {
    const { agent: made } = world([]);
    const copy = agent({ ...made, name: "copy", tools: [], hooks: [], stopWhen: [] });
    expect(copy.output?.spec).toEqual(made.output?.spec);
  });

  it("F2 moves bounds into descriptions, which only the schema itself checks", () => {
    const { agent: made } = world([]);
    expect(made.output?.format).toMatchObject({
      properties: { city: { type: "string", description: '{"minLength":2}' } },
      required: ["city", "celsius"],
      additionalProperties: false,
    });
  });
});

describe("in plain JavaScript", () => {
  const ends = tool({
    name: "ends",
    description: "Ends.",
    input: z.object({}),
    execute: () => 1,
    endsRun: true,
  });
  const final = tool({ name: "final_answer", description: "x", input: z.object({}), execute: () => 1 });
  const huge = z.object(
    Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`field_${n}`, z.string()])),
  );
  it.each<[string, object, RegExp]>([
    [
      "no schema",
      { output: { city: "string" } },
      /`output` must be a schema, e\.g\. z\.object.*got an object/,
    ],
    ["a date", { output: z.object({ at: z.date() }) }, /cannot express.*Date/],
    ["a tool with endsRun", { output: weather, tools: [ends] }, /"ends" has `endsRun`.*only one output/],
    ["a tool of the same name", { output: weather, tools: [final] }, /"final_answer".*another name/],
    [
      "an unknown keyword",
      { output: jsonSchema({ type: "object", proprties: {} }) },
      /unknown keyword "proprties"/,
    ],
    ["a huge schema", { output: huge }, /has \d+ characters/],
    ["another name of the option", { outputSchema: weather }, /Use `output`/],
  ])("C4 F2 refuses %s", (_what, options, message) => {
    expect(() => world([], {}, options as Options)).toThrow(message);
  });
});

describe("redaction", () => {
  it.each(["output", "assistant_message"] as const)(
    "F2 of the event %s hides the object everywhere",
    async (type) => {
      for (const [, more] of WAYS) {
        const test = world([{ output: oslo }, { output: oslo }], more);
        const { sessionId } = await test.say("Oslo?");
        const [{ seq } = { seq: 0 }] = await test.of(sessionId, type);
        await test.pawl.redact(sessionId, seq, user);
        const shown = JSON.stringify([
          await test.pawl.view(sessionId, user),
          await Array.fromAsync(test.pawl.follow(sessionId, { untilIdle: true })),
        ]);
        expect(shown).not.toContain('"celsius":12');
        expect(shown).not.toContain('celsius\\":12');
        await test.say("Again?", { sessionId });
        expect(JSON.stringify(test.model.requests.at(-1)?.messages)).not.toContain("celsius");
        expect(test.model.rejected).toEqual([]);
      }
    },
  );
});

describe("a last turn", () => {
  const limits = [
    ["cost", { costUsd: 0.02 }, { usage: { input_tokens: 100, output_tokens: 1_000 } }],
    ["tokens", { outputTokens: 6_000 }, { usage: { input_tokens: 100, output_tokens: 1_000 } }],
    ["tool calls", { toolCalls: 1 }, {}],
    ["turns", { turns: 2 }, {}],
  ] as const;
  it.each(limits)("L4 L13 F2 gives the output at a limit of %s", async (_, limit, reply) => {
    const pricing = { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 };
    for (const [, more] of WAYS) {
      // The model never finishes by itself.
      const rules = ({ messages }: { messages: object[] }): Reply => {
        const isLast = JSON.stringify(messages).includes("This is your last turn");
        return isLast
          ? { output: oslo }
          : { tools: [{ name: "echo", input: { text: `${messages.length}` } }], ...reply };
      };
      const test = setup(
        { ...more, pricing, rules },
        { output: weather, tools: [echoTool], limits: limit, maxTokens: 2_000 },
      );
      const { output, stop } = await test.say("Oslo?");
      expect([output, stop.type]).toEqual([oslo, expect.stringMatching(/_limit$/)]);
      expect(test.model.rejected).toEqual([]);
    }
  });

  it("L4 F2 gives the output when the time is over", async () => {
    const clock = testClock();
    const test = setup(
      [{ tools: [{ name: "hang" }] }, { output: oslo }],
      { output: weather, tools: [hang], limits: { wallClockMs: 600 } },
      { testing: { clock }, store: memoryStore({ now: clock.now }) },
    );
    const run = test.pawl.run("tester", { ...user, input: "Oslo?" });
    await stored(test, (await run.started).sessionId, "tool_started");
    // Most of the time. The last part is left for the output.
    await clock.advance(580);
    expect(await run.result).toMatchObject({ output: oslo, stop: { type: "deadline" } });
    expect(test.model.rejected).toEqual([]);
  });
});
