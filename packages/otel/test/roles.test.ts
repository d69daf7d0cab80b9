import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { withSpans } from "../src/index.ts";

it("O3 F35 the span of a request has the role that answers, and none without roles", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const store = withSpans(memoryStore(), { tracer: provider.getTracer("test") });
  const airline = agent({
    name: "airline",
    model: scriptedModel([{ tools: [{ name: "transfer_to_seats", input: {} }] }, { text: "Which?" }]),
    instructions: "x",
    roles: { triage: { instructions: "x", to: ["seats"] }, seats: { instructions: "x" } },
  });
  const other = agent({ name: "other", model: scriptedModel([{ text: "Hi." }]), instructions: "x" });
  const pawl = runtime({ agents: [airline, other], store });
  await pawl.run("airline", { userId: "ada", input: "Another seat" }).result;
  await pawl.run("other", { userId: "ada", input: "Hi" }).result;
  const chats = exporter.getFinishedSpans().filter(({ name }) => name.startsWith("chat"));
  expect(chats.map(({ attributes }) => attributes["pawl.role"])).toEqual(["triage", "seats", undefined]);
});
