import { type Reply, scriptedModel, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertRebuilds } from "../../../../../test/support/rebuild.ts";
import {
  agent,
  agentTool,
  isFailed,
  type ModelClient,
  memoryStore,
  summarize,
  tool,
  withCircuitBreaker,
  withRetry,
} from "../../../src/index.ts";
import { code } from "../../support/errors.ts";
import { never, type Options, setup, user } from "../../support/setup.ts";
import { echoTool } from "../../support/tools.ts";

const oslo = { city: "Oslo", celsius: 12 };
const wrong = { output: { city: "O", celsius: 12 } };
const weather = z.object({ city: z.string().min(2), celsius: z.number().max(60) });
const WAYS = [
  ["by its output format", { outputFormat: true }],
  ["by a forced tool", { outputFormat: false }],
  ["by a tool that it cannot be forced to call", { outputFormat: false, model: "claude-opus-5-5" }],
] as const;
const ask = tool({
  name: "ask",
  description: "Asks.",
  input: z.object({}),
  suspends: { answer: z.string() },
});
const asks = { tools: [{ name: "ask", id: "toolu_1" }] };
const call = { name: "echo", input: { text: "a" } };
const world = (script: Reply[], more: object = {}, options: Options = {}, store = memoryStore()) =>
  setup(
    { script, ...more },
    { output: weather, tools: [echoTool, ask], ...options },
    { store, onError: () => undefined },
  );

describe.each(WAYS)("an agent with an output, whose model gives it %s", (_, more) => {
  const text = (value: unknown): Reply => ({ text: JSON.stringify(value) });

  it("F2 F25 reminds with the new schema if a deploy has changed it", async () => {
    const store = memoryStore();
    const { sessionId } = await world([asks], more, {}, store).say("?");
    const output = z.object({ title: z.string(), days: z.array(z.number()) });
    const value = { title: "Oslo", days: [1] };
    // The model can still give the output in its earlier form, by the tool or in its text.
    const script = [{ output: oslo }, text(value), { output: value }];
    const second = world(script, more, { output, version: "2" }, store);
    expect(await second.answer(sessionId, "toolu_1", "x")).toMatchObject({
      stop: { type: "end_turn" },
      output: value,
    });
    const [first, reminded] = second.model.requests;
    // A format, or a strict tool that must be called, would keep the model from the new form.
    for (const request of [first, reminded]) {
      expect(request).not.toHaveProperty("output_config");
      expect(request).not.toHaveProperty("tool_choice");
    }
    expect(JSON.stringify(reminded?.messages.at(-1))).toMatch(/nothing but JSON.*days/);
    expect((await second.say("Again?", { sessionId })).output).toEqual(value);
    expect(second.model.rejected).toEqual([]);
    await assertRebuilds([await second.log(sessionId)], second.model.requests as never);
  });

  it("F2 F25 answers in text if a deploy has left the output out", async () => {
    const store = memoryStore();
    const { sessionId } = await world([asks], more, {}, store).say("?");
    const script = more.outputFormat ? [{ text: "Warm." }] : [{ output: oslo }, { text: "Warm." }];
    const second = setup({ script, ...more }, { tools: [echoTool, ask], version: "2" }, { store });
    const result = await second.answer(sessionId, "toolu_1", "x");
    expect(result).toMatchObject({ stop: { type: "end_turn" }, text: "Warm." });
    expect(result).not.toHaveProperty("output");
    const { messages } = await second.pawl.view(sessionId, user);
    expect(messages.at(-1)?.text).toBe("Warm.");
    expect(second.model.rejected).toEqual([]);
  });

  it("F2 F25 gives an output that a deploy has added", async () => {
    const store = memoryStore();
    const first = setup({ script: [asks], ...more }, { tools: [echoTool, ask] }, { store });
    const { sessionId } = await first.say("?");
    const second = world([{ text: "It is warm." }, text(oslo)], more, { version: "2" }, store);
    expect((await second.answer(sessionId, "toolu_1", "x")).output).toEqual(oslo);
    expect(second.model.rejected).toEqual([]);
  });

  it("F2 ends at its limit if the model calls other tools beside every output", async () => {
    const script = Array.from({ length: 9 }, (_, n): Reply => {
      return { tools: [{ name: "echo", input: { text: `${n}` } }], output: oslo };
    });
    const test = world(script, more, { limits: { turns: 4 } });
    expect(await test.say("?")).toMatchObject({ stop: { type: "turn_limit" }, output: oslo, turns: 4 });
    expect(test.model.rejected).toEqual([]);
  });

  it("F2 takes the first of two outputs, or reminds if it cannot tell them apart", async () => {
    const rome = { city: "Rome", celsius: 1 };
    const calls = [1, 2].map((n) => {
      return { type: "tool_use", id: `toolu_${n}`, name: "final_answer", input: n === 1 ? rome : oslo };
    });
    const both = [{ type: "text", text: JSON.stringify(rome) + JSON.stringify(oslo) }];
    const test = world([{ content: more.outputFormat ? both : calls }, { output: oslo }], more);
    const { output, sessionId } = await test.say("?");
    expect(output).toEqual(more.outputFormat ? oslo : rome);
    if (more.outputFormat) return;
    await test.say("Again?", { sessionId });
    expect(test.model.rejected).toEqual([]);
  });

  it("F2 L4 ends with a typed reason if the schema takes too long", async () => {
    const output = z.object({ city: z.string() }).refine(async () => await never());
    const test = world([{ output: oslo }, { output: oslo }], more, { output, limits: { wallClockMs: 300 } });
    const result = await test.say("?");
    expect(result.stop.type).toBe("deadline");
    expect(result).not.toHaveProperty("output");
  });

  it("F2 is stopped while its output is checked, and gives it in the next run", async () => {
    const checking = Promise.withResolvers<void>();
    const output = z.object({ city: z.string() }).refine(async () => {
      checking.resolve();
      return await never();
    });
    const test = world([{ output: oslo }], more, { output });
    const run = test.pawl.run("tester", { ...user, input: "?" });
    const { sessionId } = await run.started;
    await checking.promise;
    await test.pawl.stop(sessionId, user);
    expect((await run.result).stop.type).toBe("aborted");
    const next = world([{ output: oslo }], more, {}, test.store as never);
    expect((await next.say("?", { sessionId })).output).toEqual(oslo);
    expect(JSON.stringify(next.model.requests[0]?.messages)).toContain("was not checked");
    expect(next.model.rejected).toEqual([]);
  });

  it("F2 L3 ends as its limit if the limit leaves no room for a reminder", async () => {
    const test = world([{ tools: [call] }, wrong, { output: oslo }], more, { limits: { turns: 2 } });
    const result = await test.say("?");
    expect(result.stop.type).toBe("turn_limit");
    expect(result).not.toHaveProperty("output");
  });

  it("F2 gives the output, or says why not, as a sub-agent that asks the user", async () => {
    const script = [asks, wrong, { output: oslo }, wrong, wrong];
    const below = agent({
      name: "below",
      instructions: "x",
      model: strictModel({ script, ...more }),
      output: weather,
      tools: [ask],
    });
    const delegates = (id: string) => ({ tools: [{ name: "below", id, input: { task: id } }] });
    const test = setup(
      [delegates("toolu_8"), delegates("toolu_9"), { text: "Done." }],
      { tools: [agentTool({ agent: below, description: "Looks." })] },
      { onError: () => undefined },
    );
    const { sessionId } = await test.say("?");
    const { actions } = await test.answer(sessionId, "toolu_8", "x");
    expect(actions).toMatchObject([
      { result: oslo, success: true },
      { result: expect.stringContaining("did not finish"), success: false },
    ]);
    const results = await test.of(sessionId, "tool_result");
    expect(results.map(({ data }) => data.report?.code)).toEqual([undefined, "invalid_output"]);
  });

  it("F2 uses the same form through wrappers, and continues with a model that has no output format", async () => {
    const plain: ModelClient = scriptedModel([wrong, { output: oslo }].map((reply) => text(reply.output)));
    let turns = 0;
    const hooks = [{ name: "h", beforeTurn: () => (turns++ > 0 ? { model: plain } : {}) }];
    const test = setup(
      { script: [{ tools: [call] }], ...more },
      { output: weather, tools: [echoTool], hooks },
      {},
      (model) => withCircuitBreaker(withRetry(model)),
    );
    expect(test.agent.output?.format !== undefined).toBe(more.outputFormat);
    expect((await test.say("?")).output).toEqual(oslo);
  });

  it("F2 is given after a checkpoint between the wrong output and the next", async () => {
    const small = scriptedModel(Array.from({ length: 9 }, () => ({ text: "Summary." })));
    const checkpointWhen = [summarize({ model: small, whenTokens: 1, keepTurns: 1 })];
    const script = [{ tools: [call] }, { tools: [call] }, wrong, { output: oslo }, { output: oslo }];
    const test = world(script, more, { checkpointWhen });
    const { sessionId } = await test.say("?".repeat(300));
    expect((await test.say("?".repeat(300), { sessionId })).output).toEqual(oslo);
    expect((await test.of(sessionId, "checkpoint")).length).toBeGreaterThan(1);
    expect(test.model.rejected).toEqual([]);
  });

  it("F2 is retried after a wrong output, and copied by a fork", async () => {
    const test = world([wrong, wrong, { output: oslo }, { output: oslo }], more);
    const { sessionId, runId, stop } = await test.say("?");
    expect(isFailed(stop)).toBe(true);
    const again = await test.pawl.run("tester", { ...user, sessionId, retry: runId }).result;
    expect(again.output).toEqual(oslo);
    const { id } = await test.pawl.fork(sessionId, user);
    const parts = (await test.pawl.view(id, user)).messages.flatMap((message) => message.parts);
    expect(parts.filter(({ type }) => type === "output")).toMatchObject([{ value: oslo }]);
    expect((await test.say("Again?", { sessionId: id })).output).toEqual(oslo);
    expect(test.model.rejected).toEqual([]);
  });
});

it("C4 F2 refuses a tool named final_answer, also if a function returns it", async () => {
  const final = tool({ name: "final_answer", description: "x", input: z.object({}), execute: () => 1 });
  const test = world([{ output: oslo }], {}, { tools: () => [final] });
  await expect(test.say("?")).rejects.toSatisfy(code("tools_failed", "final_answer"));
});
