import { describe, expect, it } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { settled } from "../../../../test/support/settled.ts";
import {
  deciding,
  type GuardrailOptions,
  guardrail,
  type Hook,
  type ModelClient,
  tool,
  withRetry,
} from "../../src/index.ts";
import { type Setup, setup, user } from "../support/setup.ts";
import { echo } from "../support/tools.ts";

const input: GuardrailOptions["input"] = ({ text }) => (text.includes("evil") ? { block: "No." } : undefined);
const unforceable = (model: ModelClient): ModelClient => ({ ...model, forcedToolChoice: false });

/** A run during whose first turn, after the guards, another message arrives. */
async function overtaken(make: (hook: Hook) => Setup, said = "An evil thing") {
  let second: Promise<unknown> | undefined;
  const late: Hook = {
    name: "late",
    beforeModel: async (_call, { sessionId }) => {
      const run = second === undefined && world.pawl.run("tester", { ...user, sessionId, input: said });
      if (run !== false) {
        second = run.result;
        await run.started;
      }
      return undefined;
    },
  };
  const world = make(late);
  const first = await world.pawl.run("tester", { ...user, input: "Hi" }).result;
  await second;
  return { world, first };
}

describe("a guard and what else hooks do", () => {
  it("F34 F35 judges a message that arrives before a forced call is noted", async () => {
    const { tool: say } = echo("say");
    const force: Hook = { name: "force", beforeTurn: () => ({ toolChoice: { type: "tool", name: "say" } }) };
    const { world } = await overtaken((late) => {
      const hooks = [guardrail({ input }), force, late];
      const script = [{ tools: [{ name: "say", input: { text: "a" } }] }, { text: "Ok." }, { text: "Ok." }];
      return setup(script, { hooks, tools: [say], whenBusy: "queue" }, {}, unforceable);
    });
    expect(JSON.stringify(world.model.requests)).not.toContain("evil");
  });

  it("F35 T6 a wanted call does not run a tool that the turn forbids", async () => {
    expectPrinted("The model answered without calling a tool.");
    const { ran, tool: danger } = echo("danger");
    const { tool: safe } = echo("safe");
    const gate: Hook = { name: "gate", guards: true, beforeTurn: () => ({ tools: ["safe"] }) };
    const force: Hook = {
      name: "force",
      beforeTurn: () => ({ toolChoice: { type: "tool", name: "danger" } }),
    };
    const script = [{ tools: [{ name: "danger", input: { text: "a" } }] }, { text: "Ok." }, { text: "Ok." }];
    const world = setup(script, { hooks: [gate, force], tools: [safe, danger] }, {}, unforceable);
    await world.say("Go");
    expect(ran).toEqual([]);
  });

  it("F34 F35 a model in code gets no message that was not judged", async () => {
    const got: string[] = [];
    const code = deciding((_results, { message }) => {
      got.push(message);
      return "Done.";
    });
    await overtaken((late) =>
      setup([], { hooks: [guardrail({ input, beside: true }), late], whenBusy: "queue" }, {}, () => code),
    );
    expect(got.join()).not.toContain("evil");
  });

  it.each([1, "yes", {}])("F34 hides all that is new if a hook returns %j as `hide`", async (hide) => {
    const refuse: Hook = {
      name: "refuse",
      beforeRun: async ({ message }) =>
        (await message())?.text === "An evil thing"
          ? { stop: { type: "blocked", message: "No." }, hide: hide as never }
          : undefined,
    };
    const { say, model } = setup([{ text: "Ok." }], { hooks: [refuse] });
    const { sessionId, stop } = await say("An evil thing");
    expect(stop.type).toBe("blocked");
    await say("Hello", { sessionId });
    expect(JSON.stringify(model.requests)).not.toContain("evil");
  });

  it("F34 hides only the message that is blocked", async () => {
    const wait = tool({ name: "wait", description: "", input: z.object({}), execute: () => settled() });
    const script = [{ tools: [{ name: "wait" }] }, { text: "Ok." }, { text: "Ok." }];
    const { world, first } = await overtaken((late) => {
      const hooks = [guardrail({ input }), late];
      return setup(script, { hooks, tools: [wait], whenBusy: "queue" });
    }, "Order 5, please");
    await world.say("An evil thing", { sessionId: first.sessionId });
    await world.say("And now?", { sessionId: first.sessionId });
    const last = JSON.stringify(world.model.requests.at(-1));
    expect([last.includes("Order 5"), last.includes("evil")]).toEqual([true, false]);
  });

  it("F34 L12 a judgement of the message holds for the next attempt", async () => {
    let judged = 0;
    const slow: GuardrailOptions["input"] = async () => {
      judged += 1;
      await settled();
      return { block: "No." };
    };
    const script = [{ text: "x", fault: { midStream: "overloaded" } as const }, { text: "Secret plan." }];
    const retried = (model: ModelClient) => withRetry(model, { retries: 1, baseMs: 1 });
    const world = setup(script, { hooks: [guardrail({ input: slow, beside: true })] }, {}, retried);
    const { stop, text } = await world.say("Hi");
    expect([stop.type, text, judged]).toEqual(["blocked", "", 1]);
  });

  it("F34 a verdict that blocks and replaces blocks", async () => {
    const output = () => ({ block: "No.", replace: "Other." }) as never;
    const { stop, text } = await setup([{ text: "Plan." }], { hooks: [guardrail({ output })] }).say("Hi");
    expect([stop.type, text]).toEqual(["blocked", ""]);
  });

  it("F15 F14 citations of masked text go, and others stay once", async () => {
    const cited = (text: string) => ({
      type: "text",
      text,
      citations: [{ type: "char_location", cited_text: text, document_index: 0 }],
    });
    const output: GuardrailOptions["output"] = ({ text }) => ({ replace: text.replace("123456", "****") });
    const script = [{ content: [cited("code 123456"), cited("hello")] as never }];
    const world = setup(script, { hooks: [guardrail({ output, every: 40 })] });
    const { sessionId } = await world.say("Hi");
    const [answer] = await world.of(sessionId, "assistant_message");
    expect(JSON.stringify(answer)).not.toContain("123456");
    expect(answer?.data.content[1]?.citations).toHaveLength(1);
  });

  it("F15 judges long text in work that grows with its length", async () => {
    let chars = 0;
    const output: GuardrailOptions["output"] = ({ text }) => {
      chars += text.length;
      return undefined;
    };
    const length = 200_000;
    const world = setup([{ text: "word ".repeat(length / 5) }], {
      hooks: [guardrail({ output, every: 1 })],
      maxTokens: 60_000,
    });
    await world.say("Hi");
    expect(chars).toBeLessThan(200 * length);
  });
});
