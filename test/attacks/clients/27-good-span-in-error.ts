import { SpanStatusCode } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { agent, memoryStore, runtime, tool } from "@pawl/core";
import { withSpans } from "@pawl/otel";
import { scriptedModel } from "@pawl/testing";
import type { Attack } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";
import { anyObject, calling } from "../parts/serve.ts";

const finish = tool({
  name: "finish",
  description: "Ends.",
  input: anyObject,
  endsRun: true,
  execute: () => "over",
});

export const attack: Attack = {
  id: "clients-27",
  title: "The last span of every run is in error, with error.type aborted, although all went well",
  state: "held",
  guard: {
    file: "packages/otel/test/span-status.test.ts",
    title: "only what failed is in error: the spans of a run",
  },
  attempt: async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const store = withSpans(memoryStore(), { tracer: provider.getTracer("app") });
    for (const reply of [{ text: "Hello." }, calling("finish")]) {
      const greeter = agent({
        name: "greeter",
        model: scriptedModel([reply]),
        instructions: "x",
        tools: [finish],
      });
      await runtime({ agents: [greeter], store }).run(greeter, { userId: "ada", input: "Hi" }).result;
    }
    const spans = exporter.getFinishedSpans();
    const bad = spans.filter(({ status }) => status.code === SpanStatusCode.ERROR);
    const names = bad.map(({ name, attributes }) => `${name}: ${attributes["error.type"]}`);
    return mustHold(
      spans.length >= 5 && bad.length === 0,
      `${bad.length} of ${spans.length}: ${names.join(", ")}`,
    );
  },
};
