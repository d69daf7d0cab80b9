import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { agent, memoryStore, runtime, tool } from "@pawl/core";
import { withSpans } from "@pawl/otel";
import { scriptedModel } from "@pawl/testing";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";
import { anyObject, calling } from "../parts/serve.ts";

/** The attributes of the spans of one run, when they began and in the end. */
async function spansOfRun() {
  const began = new Map<string, object>();
  const exporter = new InMemorySpanExporter();
  const watch = {
    onStart: ({ name, attributes }: { name: string; attributes: object }) =>
      void began.set(name, { ...attributes }),
    onEnd: () => undefined,
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const provider = new BasicTracerProvider({ spanProcessors: [watch, new SimpleSpanProcessor(exporter)] });
  const look = tool({ name: "look", description: "Looks.", input: anyObject, execute: () => "seen" });
  const model = scriptedModel([calling("look"), { text: "Hi." }]);
  const coach = agent({ name: "coach", model, instructions: "X", tools: [look] });
  const store = withSpans(memoryStore(), { tracer: provider.getTracer("t") });
  await runtime({ agents: [coach], store }).run(coach, { userId: "ada", input: "Hi" }).result;
  const spans = exporter.getFinishedSpans();
  return (operation: string) => {
    const span = spans.find(({ attributes }) => attributes["gen_ai.operation.name"] === operation);
    if (span === undefined) throw new Error(`There is no span of ${operation}.`);
    return { end: span.attributes, start: began.get(span.name) ?? {} };
  };
}

export const attack: Attack = {
  id: "conformance-09",
  title: "Spans lack attributes of OpenTelemetry's conventions, or get them too late for samplers",
  state: "open",
  attempt: async () => {
    const of = await spansOfRun();
    const has = (attributes: object, ...names: string[]) => {
      const missing = names.filter((name) => !Object.hasOwn(attributes, `gen_ai.${name}`));
      return async () => mustHold(missing.length === 0, `no ${missing.join(", ")}`);
    };
    return await brokenByAny({
      invoke_agent: has(of("invoke_agent").end, "provider.name"),
      "chat, as it begins": has(of("chat").start, "operation.name", "provider.name", "request.model"),
      "execute_tool, as it begins": has(of("execute_tool").start, "operation.name"),
      chat: has(of("chat").end, "response.time_to_first_chunk"),
      execute_tool: has(of("execute_tool").end, "tool.description"),
    });
  },
};
