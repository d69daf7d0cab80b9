import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { settled } from "../../../../test/support/settled.ts";
import {
  agent,
  agentTool,
  type GuardrailOptions,
  guardrail,
  type Hook,
  type ModelClient,
  memoryStore,
  runtime,
  type SessionEvent,
  tool,
} from "../../src/index.ts";
import { never, type Setup, setup, until, user } from "../support/setup.ts";
import { calling, echo } from "../support/tools.ts";

const SECRET = "4711-SECRET";

/** A run with all that a reader gets while it goes on, and all that one gets who reads it later. */
async function watched(world: Setup, input = "Hi") {
  const run = world.pawl.run("tester", { ...user, input });
  const live: SessionEvent[] = [];
  for await (const event of run) live.push(event);
  const result = await run.result;
  const later = await world.log(result.sessionId);
  const view = await world.pawl.view(result.sessionId, user);
  return { result, live, later, everything: JSON.stringify([live, later, view, result]) };
}

const guarded = (
  options: GuardrailOptions,
  script: readonly Reply[],
  more: Parameters<typeof setup>[1] = {},
) => setup([...script, { text: "Fine." }, { text: "Fine." }], { hooks: [guardrail(options)], ...more });

const mask = (text: string) => text.replaceAll(SECRET, "***");
const blockSecrets = ({ text }: { text: string }) =>
  text.includes(SECRET) ? { block: "I may not say that." } : undefined;

describe("guardrail on input", () => {
  const input: GuardrailOptions["input"] = ({ text }) =>
    text.includes("evil") ? { block: "Please ask something else." } : undefined;

  it.each([{ beside: false }, { beside: true }])(
    "F34 blocks a message, and hides it from all later requests ($beside)",
    async ({ beside }) => {
      const world = guarded({ input, beside }, beside ? [{ text: "Evil is easy." }] : []);
      const { result, everything } = await watched(world, "An evil thing");
      expect(result.stop).toEqual({ type: "blocked", message: "Please ask something else." });
      expect(everything).not.toContain("Evil is easy");
      const { text, stop } = await world.say("A good thing", { sessionId: result.sessionId });
      expect([text, stop.type]).toEqual(["Fine.", "end_turn"]);
      expect(JSON.stringify(world.model.requests.at(-1))).not.toContain("evil");
      expect(JSON.stringify(world.model.requests.at(-1))).toContain("A good thing");
      expect(world.model.rejected).toEqual([]);
      expect(world.model.requests).toHaveLength(beside ? 2 : 1);
    },
  );

  it("F34 judges a message that arrives during a run before the model reads it", async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const wait = tool({ name: "wait", description: "", input: z.object({}), execute: () => arrived });
    const world = guarded({ input }, [{ tools: [{ name: "wait" }] }], { tools: [wait], whenBusy: "queue" });
    const first = world.pawl.run("tester", { ...user, input: "Wait" });
    const { sessionId } = await first.started;
    for await (const event of world.pawl.follow(sessionId)) if (event.type === "tool_started") break;
    const second = world.pawl.run("tester", { ...user, sessionId, input: "An evil thing" });
    await second.started;
    arrive();
    expect((await second.result).stop.type).toBe("blocked");
    await world.say("Go on", { sessionId });
    expect(JSON.stringify(world.model.requests)).not.toContain("evil");
  });

  it.each([
    ["throws", () => Promise.reject(new Error("broken"))],
    ["returns something else", () => true as never],
    ["returns an empty sentence", () => ({ block: " " })],
    ["replaces", () => ({ replace: "x" }) as never],
    ["takes too long", never],
  ])("F34 fails closed if it %s: the model is not asked", async (_, judge) => {
    const errors: unknown[] = [];
    const world = setup(
      [{ text: "Fine." }],
      { hooks: [guardrail({ input: judge, timeoutMs: 20 })] },
      { onError: (error) => void errors.push(error) },
    );
    const { result } = await watched(world);
    expect([result.stop.type, errors.length]).toEqual(["error", 1]);
    expect(world.model.requests).toEqual([]);
  });

  it("F34 shows no call, and runs none, before the message is judged beside it", async () => {
    const { ran, tool: say } = echo("say");
    const slow: GuardrailOptions["input"] = async () => {
      await settled();
      return { block: "No." };
    };
    const script = [{ tools: [calling("say", SECRET)] }];
    const { result, everything } = await watched(
      guarded({ input: slow, beside: true }, script, { tools: [say] }),
    );
    expect([result.stop.type, ran]).toEqual(["blocked", []]);
    expect(everything).not.toContain(SECRET);
  });

  it("F34 F22 hides a message from sub-agents that read the conversation, too", async () => {
    const child = setup([{ text: "Found." }]);
    const search = agentTool({ agent: child.agent, description: "Searches.", history: true });
    const script = [{ tools: [{ name: "tester", input: { task: "Search" } }] }];
    const world = guarded({ input }, script, { name: "host", tools: [search] });
    const { sessionId } = await world.pawl.run("host", { ...user, input: "An evil thing" }).result;
    await world.pawl.run("host", { ...user, sessionId, input: "A good thing" }).result;
    const asked = JSON.stringify(child.model.requests);
    expect(asked).toContain("A good thing");
    expect(asked).not.toContain("evil");
  });

  it("F34 F16 an agent that takes the conversation over judges the message, too", async () => {
    const model = setup([{ text: "Fine." }, { text: "Fine." }]).model;
    const billing = agent({ name: "billing", model, instructions: "Bill.", hooks: [guardrail({ input })] });
    const script = [{ text: "Hello." }, { tools: [{ name: "transfer_to_billing" }] }];
    const handOverTo = { billing: "asks for money" };
    const desk = agent({ name: "desk", model: setup(script).model, instructions: "Desk.", handOverTo });
    const pawl = runtime({ agents: [desk, billing], store: memoryStore() });
    const say = async (said: string, sessionId?: string) =>
      await pawl.run("desk", { ...user, input: said, ...(sessionId && { sessionId }) }).result;
    const { sessionId } = await say("An evil thing of long ago");
    const { stop } = await say("An evil bill", sessionId);
    expect(stop.type).toBe("blocked");
    expect(model.requests).toEqual([]);
    const { text } = await say("A good bill", sessionId);
    expect(text).toBe("Fine.");
    expect(JSON.stringify(model.requests)).toContain("long ago");
    expect(JSON.stringify(model.requests)).not.toContain("evil bill");
  });

  it("F34 judges a message that arrives after beforeTurn", async () => {
    const { promise: planned, resolve: plan } = Promise.withResolvers<void>();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const late: Hook = {
      name: "late",
      beforeTurn: async () => {
        plan();
        await arrived;
        return undefined;
      },
    };
    const world = guarded({ input }, [], { hooks: [guardrail({ input }), late], whenBusy: "queue" });
    const first = world.pawl.run("tester", { ...user, input: "Hi" });
    const { sessionId } = await first.started;
    await planned;
    const second = world.pawl.run("tester", { ...user, sessionId, input: "An evil thing" });
    await second.started;
    arrive();
    expect((await second.result).stop.type).toBe("blocked");
    expect(JSON.stringify(world.model.requests)).not.toContain("evil");
  });

  it("F34 bills a small model that judges", async () => {
    const judge = setup([{ text: "no", usage: { input_tokens: 7, output_tokens: 1 } }]).model;
    const world = guarded(
      {
        input: async ({ text, seq }, { askModel }) => {
          const { text: answer } = await askModel(judge, { prompt: text, key: `judge:${seq}` } as never);
          return answer === "no" ? { block: "No." } : undefined;
        },
      },
      [],
    );
    const { result } = await watched(world);
    expect([result.stop.type, result.usage.inputTokens]).toEqual(["blocked", 7]);
  });
});

describe("guardrail on output", () => {
  const long = `${"Good words. ".repeat(30)}${SECRET} ${"More words. ".repeat(30).trim()}`;

  it.each([{ every: undefined }, { every: 20 }, { every: 50 }, { every: 1_000 }])(
    "F15 F34 masks text before any reader gets it (every $every)",
    async ({ every }) => {
      const output: GuardrailOptions["output"] = ({ text }) =>
        text.includes(SECRET) ? { replace: mask(text) } : undefined;
      const world = guarded({ output, ...(every && { every }) }, [{ text: long }]);
      const { result, everything } = await watched(world);
      expect(result.text).toBe(mask(long));
      expect(everything).not.toContain(SECRET);
      expect(everything).not.toContain("4711-S");
      await world.say("And now?", { sessionId: result.sessionId });
      expect(JSON.stringify(world.model.requests)).not.toContain(SECRET);
    },
  );

  it.each([{ every: undefined }, { every: 20 }])(
    "F15 F34 ends the run in the guard's words; what came before stays (every $every)",
    async ({ every }) => {
      const world = guarded({ output: blockSecrets, ...(every && { every }) }, [{ text: long }]);
      const { result, everything, live } = await watched(world);
      expect(result.stop).toEqual({ type: "blocked", message: "I may not say that." });
      expect(everything).not.toContain("4711-S");
      const shown = live.flatMap((event) => (event.type === "text_delta" ? [event.data.text] : [])).join("");
      expect(shown).toBe(result.text);
      expect(long.startsWith(shown)).toBe(true);
      expect(shown.length > 0).toBe(every !== undefined);
      expect((await world.say("And now?", { sessionId: result.sessionId })).text).toBe("Fine.");
      expect(world.model.rejected).toEqual([]);
    },
  );

  it("F15 shows text before it is complete, but for what is held back", async () => {
    let shown = "";
    const output: GuardrailOptions["output"] = async ({ kind, text, complete }) => {
      if (kind === "text" && complete) await until(() => shown.length >= text.length - 2 * 50);
      expect(shown.length).toBeLessThanOrEqual(text.length - (complete ? 0 : 50));
    };
    const world = guarded({ output: output as never, every: 50 }, [{ text: "abcde ".repeat(100) }]);
    const run = world.pawl.run("tester", { ...user, input: "Hi" });
    for await (const piece of run.textStream) shown += piece;
    expect((await run.result).stop.type).toBe("end_turn");
  });

  it("F34 judges the inputs of calls before they run or are shown, and the changed one runs", async () => {
    const { ran, tool: say } = echo("say");
    const output: GuardrailOptions["output"] = ({ kind, value }) =>
      kind === "tool_input" ? { replace: JSON.parse(mask(JSON.stringify(value))) } : undefined;
    const world = guarded({ output }, [{ tools: [calling("say", SECRET)] }], { tools: [say] });
    const { result, everything } = await watched(world);
    expect(ran).toEqual(["***"]);
    expect(result.actions[0]?.args).toEqual({ text: "***" });
    expect(everything).not.toContain(SECRET);
    expect(world.model.rejected).toEqual([]);
  });

  it("F34 blocks a call: it does not run, and nobody sees it", async () => {
    const { ran, tool: say } = echo("say");
    const world = guarded({ output: blockSecrets }, [{ tools: [calling("say", SECRET)] }], { tools: [say] });
    const { result, everything } = await watched(world);
    expect([result.stop.type, ran]).toEqual(["blocked", []]);
    expect(everything).not.toContain(SECRET);
  });

  it.each([true, false])("F34 F17 masks and blocks outputs (format %s)", async (outputFormat) => {
    const schema = z.object({ code: z.string() });
    const options = (output: GuardrailOptions["output"]) =>
      [
        { script: [{ output: { code: SECRET } }, { output: { code: "x" } }], outputFormat },
        { hooks: [guardrail({ output: output as never })], output: schema },
      ] as const;
    const masked = await watched(
      setup(
        ...options(({ kind, value }) =>
          kind === "output" ? { replace: JSON.parse(mask(JSON.stringify(value))) } : undefined,
        ),
      ),
    );
    expect(masked.result.output).toEqual({ code: "***" });
    expect(masked.everything).not.toContain(SECRET);
    const blocked = await watched(setup(...options(blockSecrets)));
    expect([blocked.result.stop.type, blocked.result.output]).toEqual(["blocked", undefined]);
    expect(blocked.everything).not.toContain(SECRET);
  });

  it("F34 judges thinking, which it can only block", async () => {
    const body = { thinking: { type: "adaptive", display: "summarized" } };
    const script = [{ thinking: `Hm ${SECRET}`, text: "Yes." }];
    const world = setup({ script, body }, { hooks: [guardrail({ output: blockSecrets, every: 20 })] });
    const { result, everything } = await watched(world);
    expect(result.stop.type).toBe("blocked");
    expect(everything).not.toContain("4711-S");
  });

  it.each<[string, GuardrailOptions["output"]]>([
    ["throws", () => Promise.reject(new Error("broken"))],
    [
      "throws at once",
      () => {
        throw new Error("broken");
      },
    ],
    ["returns true", () => true as never],
    ["returns a text", () => "no" as never],
    ["returns an unknown field", () => ({ blok: "no" }) as never],
    ["returns an empty sentence", () => ({ block: "" })],
    ["replaces text by a number", () => ({ replace: 5 })],
    ["replaces text by nothing", () => ({ replace: undefined }) as never],
    ["replaces what was shown", ({ text }) => (text.length > 90 ? { replace: "Other" } : undefined)],
    ["takes too long", never],
    ["takes too long in the middle", ({ text }) => (text.length > 200 ? never() : undefined)],
  ])("F34 fails closed if it %s", async (_, output) => {
    const errors: unknown[] = [];
    const text = `${"Good words. ".repeat(20)}${SECRET}`;
    const world = setup(
      [{ text }, { text: "Fine." }],
      { hooks: [guardrail({ output: output as never, every: 15, timeoutMs: 30 })] },
      { onError: (error) => void errors.push(error) },
    );
    const { result, everything } = await watched(world);
    expect(result.stop.type).toBe("error");
    expect(everything).not.toContain("4711-S");
    expect(errors).toHaveLength(1);
    expect(world.model.rejected).toEqual([]);
  });

  it("F34 shows nothing that was not judged when the user stops the run", async () => {
    const { promise: judging, resolve } = Promise.withResolvers<void>();
    const output: GuardrailOptions["output"] = () => {
      resolve();
      return never();
    };
    const world = guarded({ output }, [{ text: `${SECRET} and more` }]);
    const run = world.pawl.run("tester", { ...user, input: "Hi" });
    const { sessionId } = await run.started;
    await judging;
    await world.pawl.stop(sessionId, user);
    const { stop, text } = await run.result;
    expect([stop.type, text]).toEqual(["aborted", ""]);
    expect(JSON.stringify(await world.log(sessionId))).not.toContain(SECRET);
  });

  it("F34 L13 charges what was held back", async () => {
    const pricing = { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 };
    const text = `${SECRET} ${"word ".repeat(400)}`;
    const world = setup(
      { script: [{ text }], pricing },
      { hooks: [guardrail({ output: blockSecrets, every: 1_000 })] },
    );
    const { result } = await watched(world);
    expect(result.usage.outputTokens).toBeGreaterThan(100);
  });

  it("F34 cuts an answer without end, although nothing of it is shown", async () => {
    const endless = (model: ModelClient): ModelClient => ({
      ...model,
      stream: async function* () {
        yield { type: "message_start", message: { id: "m", model: "m", usage: {} } };
        yield { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
        for (;;) {
          yield {
            type: "content_block_delta",
            index: 0,
            delta: { type: "text_delta", text: SECRET.repeat(100) },
          };
        }
      },
    });
    const hooks = [guardrail({ output: () => undefined })];
    const world = setup([], { hooks, maxTokens: 50 }, {}, endless);
    const { result, everything } = await watched(world);
    expect(result.stop.type).toBe("max_tokens");
    expect(everything).not.toContain(SECRET);
  });

  it("F34 several guards judge one after the other", async () => {
    const guard = (name: string, from: string, to: string): Hook =>
      guardrail({ name, every: 10, output: ({ text }) => ({ replace: text.replaceAll(from, to) }) });
    const world = setup([{ text: "one two three" }], {
      hooks: [guard("a", "one", "two"), guard("b", "two", "2")],
    });
    expect((await watched(world)).result.text).toBe("2 2 three");
  });
});

describe("guardrail()", () => {
  it.each<[object, string]>([
    [{}, "needs `input` or `output`"],
    [{ input: "x" }, "`input`"],
    [{ output: () => undefined, every: 0 }, "`every`"],
    [{ output: () => undefined, evry: 5 }, "evry"],
  ])("E1 refuses %o", (options, message) => {
    expect(() => guardrail(options)).toThrow(message);
  });
});
