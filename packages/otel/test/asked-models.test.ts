import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { agent, agentTool, type Hook, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { withSpans } from "../src/index.ts";

const pricing = { input: 1, output: 20, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
const usage = { input_tokens: 1_000, output_tokens: 100 };
const judge = scriptedModel(() => ({ text: "A secret verdict.", usage }), { id: "judge", pricing });
const guard: Hook = {
  name: "guard",
  beforeTurn: async (_plan, { askModel }) => {
    await askModel(judge, { prompt: "A secret question", key: "safe" });
    return undefined;
  },
};

/** Runs an agent and returns its spans, in the order in which they ended. */
async function spansOf(options: Omit<Parameters<typeof agent>[0], "name" | "instructions">) {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const store = withSpans(memoryStore(), { tracer: provider.getTracer("test") });
  const coach = agent({ name: "coach", instructions: "Be kind.", ...options });
  await runtime({ agents: [coach], store }).run("coach", { userId: "ada", input: "Hi" }).result;
  return exporter.getFinishedSpans();
}

describe("O3 F21 a model that a hook asks", () => {
  it("has one span below the run's, with its use and the hook's name, and nothing that was said", async () => {
    const spans = await spansOf({ model: scriptedModel([{ text: "Ok." }]), hooks: [guard] });
    expect(spans.map(({ name }) => name)).toEqual([
      "chat judge",
      "chat claude-scripted",
      "invoke_agent coach",
    ]);
    const [asked, , run] = spans;
    expect(asked?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId);
    expect(asked?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "judge",
      "gen_ai.usage.input_tokens": 1_000,
      "gen_ai.usage.output_tokens": 100,
      "pawl.cost_usd": 0.003,
      "pawl.by": "guard",
    });
    expect(JSON.stringify(asked?.attributes)).not.toMatch(/secret/);
    expect(asked?.duration[0]).toBeGreaterThanOrEqual(0);
  });

  it("adds no span for a spending that a hook has stored: its time is unknown", async () => {
    const tokens = { prompt: 9, completion: 1, cached: 0, cache_write: 0, cache_write_1h: 0, total: 10 };
    const charges: Hook = {
      name: "charges",
      beforeTurn: async (_plan, { append }) => {
        const data = { by: "charges", model: "other", tokens, cost_cents: 1 };
        await append({ type: "spending", key: "once", data });
        return undefined;
      },
    };
    const spans = await spansOf({ model: scriptedModel([{ text: "Ok." }]), hooks: [charges] });
    expect(spans.map(({ name }) => name)).toEqual(["chat claude-scripted", "invoke_agent coach"]);
    expect(spans[1]?.attributes["pawl.cost_usd"]).toBe(0.01);
  });
});

it("O3 F19 a call's span names the sub-agent that its input has chosen", async () => {
  const law = agent({
    name: "law",
    model: scriptedModel([{ text: "No." }]),
    instructions: "Help.",
  });
  const input = z.object({ expert: z.string() });
  const expert = agentTool({
    name: "expert",
    description: "Asks.",
    input,
    message: () => "Go",
    agents: () => law,
  });
  const model = scriptedModel([{ tools: [{ name: "expert", input: { expert: "law" } }] }, { text: "Ok." }]);
  const spans = await spansOf({ model, tools: [expert] });
  const call = spans.find(({ name }) => name === "execute_tool expert");
  expect(call?.attributes["pawl.tool.agent"]).toBe("law");
});
