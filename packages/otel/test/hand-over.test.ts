import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { withSpans } from "../src/index.ts";

it("O3 F16 each agent of a hand-over has a span of its own, and its requests say who speaks", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const store = withSpans(memoryStore(), { tracer: provider.getTracer("test") });
  const transfer = { tools: [{ name: "transfer_to_billing", input: {} }] };
  const desk = agent({
    ...{ name: "desk", instructions: "x", model: scriptedModel([transfer]) },
    handOverTo: { billing: "x" },
  });
  const billing = agent({
    ...{ name: "billing", version: "7", instructions: "x" },
    model: scriptedModel([{ text: "You owe 7." }, { text: "Until Friday." }]),
  });
  const pawl = runtime({ agents: [desk, billing], store });
  const { sessionId } = await pawl.run("desk", { userId: "ada", input: "What do I owe?" }).result;
  await pawl.run("desk", { userId: "ada", sessionId, input: "Until when?" }).result;

  const spans = exporter.getFinishedSpans();
  const runs = spans.filter(({ name }) => name.startsWith("invoke_agent"));
  expect(runs.map(({ name }) => name)).toEqual([
    ...["invoke_agent desk", "invoke_agent billing", "invoke_agent billing"],
  ]);
  for (const { name, attributes } of runs)
    expect(attributes).toMatchObject({
      "gen_ai.agent.name": name.replace("invoke_agent ", ""),
      "gen_ai.agent.version": name.endsWith("desk") ? "1" : "7",
      "gen_ai.conversation.id": sessionId,
    });
  const ids = new Map(runs.map((run) => [run.spanContext().spanId, run.name]));
  const chats = spans.filter(({ name }) => name.startsWith("chat"));
  const said = chats.map(({ parentSpanContext, attributes }) => [
    ids.get(parentSpanContext?.spanId ?? ""),
    attributes["pawl.role"],
  ]);
  expect(said).toEqual([
    ["invoke_agent desk", "desk"],
    ["invoke_agent billing", "billing"],
    ["invoke_agent billing", "billing"],
  ]);
  const [transferred] = spans.filter(({ name }) => name.startsWith("execute_tool"));
  expect(ids.get(transferred?.parentSpanContext?.spanId ?? "")).toBe("invoke_agent desk");
});
