import { type Reply, scriptedModel, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { rebuild } from "../../../../../test/support/rebuild.ts";
import { type Hook, memoryStore, type TurnChange, tool } from "../../../src/index.ts";
import { setup } from "../../support/setup.ts";
import { failingStore } from "../../support/stores.ts";
import { echoTool } from "../../support/tools.ts";

/** Takes a forced tool choice, or does not. */
const FORCED = "claude-opus-4-8";
const FREE = "claude-opus-5-5";

const look = tool({ name: "look", description: "Looks.", input: z.object({}), execute: () => "rain" });

/** Forces a call until one was made. */
const required = (toolChoice: TurnChange & object = { toolChoice: { type: "any" } }): Hook => ({
  name: "required",
  beforeTurn: (_, { run }) => (run.calls.length === 0 ? toolChoice : undefined),
});

const named: TurnChange = { toolChoice: { type: "tool", name: "look" } };
const looked: Reply = { tools: [{ name: "look" }] };
const words: Reply = { text: "It is dry." };
const rain: Reply = { text: "Rain." };

const world = (script: Reply[], hook: Hook, model = FREE) =>
  setup({ script, model }, { tools: [look, echoTool], hooks: [hook] });

describe("a tool choice that forces a model", () => {
  it("L14 H1 is sent as it is to a model that can be forced", async () => {
    const at = world([looked, rain], required(named), FORCED);
    const { sessionId, stop } = await at.say("?");
    expect(stop.type).toBe("end_turn");
    expect(at.model.requests[0]?.tool_choice).toEqual({ type: "tool", name: "look" });
    expect(await at.of(sessionId, "note")).toEqual([]);
    expect(at.model.rejected).toEqual([]);
  });

  it.each([
    ["any", required(), "Call one of your tools now."],
    ["tool", required(named), 'Call the tool "look" now, and no other.'],
    [
      "tool, in beforeModel",
      { name: "late", beforeModel: (_, { run }) => (run.turns === 0 ? named : {}) },
      'Call the tool "look" now, and no other.',
    ],
  ] as [string, Hook, string][])(
    "L14 H1 C13 becomes `auto` and a note if the model cannot be forced: %s",
    async (_, hook, text) => {
      const at = world([looked, rain], hook);
      const { sessionId, stop } = await at.say("?");
      expect(stop.type).toBe("end_turn");
      expect(at.model.rejected).toEqual([]);
      expect(at.model.requests.map((request) => request.tool_choice)).toEqual([{ type: "auto" }, undefined]);
      expect((await at.of(sessionId, "note")).map(({ data }) => data)).toEqual([{ text }]);
      expect(JSON.stringify(at.model.requests[0]?.messages.at(-1))).toContain(
        JSON.stringify(text).slice(1, -1),
      );
      const [request] = await at.of(sessionId, "llm_request");
      expect(request?.data.params.hook_choice).toMatchObject({ type: expect.stringMatching(/any|tool/) });
      // Every request extends the one before it, and can be rebuilt from the log.
      expect(await rebuild(await at.log(sessionId))).toHaveLength(2);
    },
  );

  it("L14 T5 refuses a call of another tool than the one that is wanted", async () => {
    const at = world([{ tools: [{ name: "echo", input: { text: "a" } }] }, rain], required(named));
    const { actions } = await at.say("?");
    expect(actions).toMatchObject([
      { tool: "echo", success: false, result: '"echo" cannot be used now, only look.' },
    ]);
  });

  it("L11 L14 reminds a model that answers without the call once, and goes on if that helps", async () => {
    const at = world([words, looked, rain], required(named));
    const { sessionId, stop, turns } = await at.say("?");
    expect({ type: stop.type, turns }).toEqual({ type: "end_turn", turns: 3 });
    expect((await at.of(sessionId, "note")).map(({ data }) => data.reminder)).toEqual([undefined, true]);
    expect(at.model.rejected).toEqual([]);
  });

  it.each([
    ["as long as no call was made", required(named)],
    [
      "in the first turn only",
      { name: "first", beforeTurn: (_, { run }) => (run.turns === 0 ? named : undefined) },
    ],
  ] as [string, Hook][])("L11 L14 ends as a logged error after the reminder: forced %s", async (_, hook) => {
    expectPrinted("pawl: The model answered without calling a tool.");
    const at = world([words, words], hook);
    const { sessionId, stop, turns } = await at.say("?");
    expect({ type: stop.type, turns }).toEqual({ type: "error", turns: 2 });
    expect((await at.of(sessionId, "error")).map(({ data }) => data.code)).toEqual(["no_tool_call"]);
  });

  it("L14 F2 takes no output while a call is wanted", async () => {
    const output = z.object({ sky: z.string() });
    const answer: Reply = { text: '{"sky":"blue"}' };
    const at = setup(
      { script: [answer, looked, { text: '{"sky":"grey"}' }], model: FREE },
      { tools: [look], hooks: [required()], output },
    );
    const result = await at.say("?");
    expect(result).toMatchObject({ output: { sky: "grey" }, turns: 3, stop: { type: "end_turn" } });
    expect(at.model.rejected).toEqual([]);
  });

  it("L14 L3 wants no call in a landing turn, nor of a tool that the prompt lacks", async () => {
    const always: Hook = { name: "always", beforeTurn: () => ({ toolChoice: { type: "any" } }) };
    const at = setup(
      { script: [looked, words], model: FREE },
      { tools: [look], hooks: [always], limits: { turns: 2 }, onLimit: "land" },
    );
    const { sessionId, stop } = await at.say("?");
    expect(stop.type).toBe("turn_limit");
    expect(at.model.requests.map((request) => request.tool_choice?.type)).toEqual(["auto", "none"]);
    expect(await at.of(sessionId, "note")).toHaveLength(2);
    const bare = setup({ script: [words], model: FREE }, { hooks: [always] });
    expect((await bare.say("?")).stop.type).toBe("end_turn");
  });

  it("L14 L11 asks once a turn, wherever the process dies", async () => {
    for (let moment = 2; moment <= 9; moment += 1) {
      let clock = 0;
      let appends = 0;
      const base = memoryStore({ now: () => clock });
      const store = failingStore(base, () => {
        appends += 1;
        return appends >= moment;
      });
      const script = () =>
        strictModel({
          rules: ({ messages }) => (JSON.stringify(messages).includes("tool_result") ? rain : looked),
          model: FREE,
        });
      const model = script();
      const options = { tools: [look], hooks: [required(named)] };
      await setup([], options, { store }, () => model)
        .say("?")
        .catch(() => undefined);
      clock += 60_000;
      const { id } = (await base.sessions.list({ userId: "u1" }))[0] ?? {};
      if (id === undefined) continue;
      const next = setup([], options, { store: base }, () => model);
      await next.pawl.sweep();
      for await (const _ of next.pawl.follow(id, { untilIdle: true }));
      expect(await next.of(id, "note")).toHaveLength(1);
      expect(model.rejected).toEqual([]);
    }
  });

  it("L14 is refused by the models for tests as the API refuses it", async () => {
    const request = {
      system: [],
      tools: [look.spec],
      messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "?" }] }],
      maxTokens: 100,
    };
    const signal = AbortSignal.timeout(5_000);
    const all = async (model: ReturnType<typeof scriptedModel>, change: object) => {
      for await (const _ of model.stream({ ...request, ...change }, { signal }));
    };
    const free = scriptedModel(() => words);
    const forced = scriptedModel(() => words, { forcedToolChoice: true });
    const wrong = { code: "model_error", details: { status: 400 } };
    await expect(all(free, { toolChoice: { type: "any" } })).rejects.toMatchObject(wrong);
    await expect(all(free, named)).rejects.toMatchObject(wrong);
    await expect(all(free, { tools: [], toolChoice: { type: "auto" } })).rejects.toMatchObject(wrong);
    await expect(all(forced, { toolChoice: { type: "tool", name: "nobody" } })).rejects.toMatchObject(wrong);
    await all(forced, named);
    await all(free, { toolChoice: { type: "none" } });
    const thinking = strictModel({
      script: [words],
      model: FORCED,
      body: { thinking: { type: "adaptive" } },
    });
    await expect(all(thinking as never, named)).rejects.toMatchObject(wrong);
    await expect(all(strictModel({ script: [words], model: FREE }) as never, named)).rejects.toMatchObject(
      wrong,
    );
  });
});
