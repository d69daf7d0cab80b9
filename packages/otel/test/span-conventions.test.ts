import { type Attributes, SpanKind } from "@opentelemetry/api";
import { type Sampler, SamplingDecision } from "@opentelemetry/sdk-trace-base";
import { agent, agentTool, type Hook, tool } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { calling, traced, user } from "./support/traced.ts";

// What version 0.1.0 of OpenTelemetry's conventions for generative AI demands, and what a sampler needs.

const look = tool({ name: "look", description: "Looks.", input: z.object({}), execute: () => "seen" });
const ask = tool({
  name: "ask",
  description: "Asks.",
  input: z.object({}),
  suspends: { answer: z.string() },
});
const judge = scriptedModel(() => ({ text: "Good." }), { id: "judge" });
const guard: Hook = {
  name: "guard",
  afterTurn: async (_turn, { askModel }) => {
    await askModel(judge, { prompt: "Is it good?", key: "good" });
  },
};

interface Began {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
}

/** A sampler that notes what it is given when a span begins. */
function noting(): Sampler & { began: Began[] } {
  const began: Began[] = [];
  return {
    began,
    shouldSample: (_context, _traceId, name, kind, attributes) => {
      began.push({ name, kind, attributes: { ...attributes } });
      return { decision: SamplingDecision.RECORD_AND_SAMPLED };
    },
    toString: () => "noting",
  };
}

/** The spans of a run as a sampler sees them, by their names. */
async function sampled(script: Reply[], options: Parameters<typeof traced>[1] = {}) {
  const sampler = noting();
  const world = traced(script, options, sampler);
  const { sessionId, pending } = await world.run().result;
  const named = (name: string) => sampler.began.find((span) => span.name === name);
  return { ...world, sessionId, pending, began: sampler.began, named };
}

describe("O3 a sampler sees, when it begins, of the span of", () => {
  it("a run: what the conventions require", async () => {
    const { named, sessionId } = await sampled([{ text: "Hi." }], { version: "7" });
    expect(named("invoke_agent coach")).toMatchObject({
      kind: SpanKind.INTERNAL,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.agent.name": "coach",
        "gen_ai.agent.version": "7",
        "gen_ai.conversation.id": sessionId,
      },
    });
  });

  it("a model request: what the conventions require, and what is requested", async () => {
    const { named, sessionId } = await sampled([{ text: "Hi." }], { spans: { provider: "openai" } });
    expect(named("chat m")).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.conversation.id": sessionId,
        "gen_ai.request.stream": true,
        "gen_ai.request.max_tokens": expect.any(Number),
      },
    });
    expect(named("chat m")?.attributes).not.toHaveProperty(["gen_ai.output.type"]);
  });

  it("a model request with an output format: that it asks for JSON", async () => {
    const output = z.object({ n: z.number() });
    const model = scriptedModel([{ output: { n: 1 } }], { id: "m", outputFormat: true });
    const { named } = await sampled([], { model, output });
    expect(named("chat m")?.attributes["gen_ai.output.type"]).toBe("json");
  });

  it("a model that a hook asks: what the conventions require", async () => {
    const { named, sessionId } = await sampled([{ text: "Hi." }], { hooks: [guard] });
    expect(named("chat judge")).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "judge",
        "gen_ai.conversation.id": sessionId,
        "pawl.by": "guard",
      },
    });
  });

  it("a tool: what the conventions require, its agent, and with `content` its input", async () => {
    for (const content of [false, true]) {
      const { named, sessionId } = await sampled([calling("look"), { text: "Hi." }], {
        tools: [look],
        spans: { content },
      });
      expect(named("execute_tool look")).toEqual({
        name: "execute_tool look",
        kind: SpanKind.INTERNAL,
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "look",
          "gen_ai.tool.type": "function",
          "gen_ai.tool.call.id": "toolu_look_0",
          "gen_ai.agent.name": "coach",
          "gen_ai.conversation.id": sessionId,
          ...(content && { "gen_ai.tool.call.arguments": "{}" }),
        },
      });
    }
  });

  it("a sub-agent, and its tools: its own name", async () => {
    const model = scriptedModel([calling("look"), { text: "Found." }], { id: "h" });
    const helper = agent({ name: "helper", model, instructions: "Help.", tools: [look] });
    const { named } = await sampled(
      [{ tools: [{ name: "helper", input: { task: "Look" } }] }, { text: "Done." }],
      { tools: [agentTool({ agent: helper, description: "Helps." })] },
    );
    const nameOf = (name: string) => named(name)?.attributes["gen_ai.agent.name"];
    expect(nameOf("invoke_agent coach/helper")).toBe("coach/helper");
    expect(nameOf("execute_tool look")).toBe("coach/helper");
    expect(nameOf("execute_tool helper")).toBe("coach");
  });

  it("a run that another process continues: what the conventions require", async () => {
    const { began, boot, sessionId, pending } = await sampled([calling("ask"), { text: "Fine." }], {
      tools: [ask],
    });
    began.length = 0;
    const answers = pending.map(({ callId }) => ({ callId, value: "yes" }));
    await boot().run("coach", { ...user, sessionId, answers }).result;
    expect(began.map(({ name }) => name)).toEqual(["invoke_agent", "chat m"]);
    for (const { attributes } of began)
      expect(attributes).toMatchObject({
        "gen_ai.operation.name": expect.any(String),
        "gen_ai.provider.name": "anthropic",
        "gen_ai.conversation.id": sessionId,
      });
  });
});

describe("O3 the finish reason of a request", () => {
  it.each([
    ["that is answered", { text: "Hi." }, ["end_turn"]],
    ["whose answer is cut", { text: "Hi.", stop: "max_tokens" }, ["max_tokens"]],
    ["whose answer breaks off", { text: "Hello.", fault: { cut: 4 } }, ["error"]],
    ["that has no answer", { fault: { status: 401 } }, undefined],
  ] as [string, Reply, string[] | undefined][])("%s", async (_, reply, reasons) => {
    const { spans } = await sampled([reply]);
    expect(spans()[0]?.attributes["gen_ai.response.finish_reasons"]).toEqual(reasons);
  });

  it("whose answer the user has stopped is `error`, although the span is not in error", async () => {
    const { pawl, run, reached, spans, statuses } = traced([{ text: "One two.", fault: { stall: 4 } }]);
    const running = run();
    const { sessionId } = await running.started;
    await reached(sessionId, "text_delta");
    await pawl.stop(sessionId, user);
    await running.result;
    expect(statuses()[0]).toBe("chat m");
    expect(spans()[0]?.attributes["gen_ai.response.finish_reasons"]).toEqual(["error"]);
  });
});
