import { diag, type Tracer, trace } from "@opentelemetry/api";
import type { EventStore } from "@pawl/core";
import { newSpans, takeEvents } from "./spans.ts";

export interface SpanOptions {
  /** Default: the global tracer provider's, named `@pawl/otel`. */
  tracer?: Tracer;
  /** Who serves the model, as the conventions name them. Default: `anthropic`. */
  provider?: string;
  /** Inputs and results of tools too, as JSON. They may say anything about anybody. Default: no. */
  content?: boolean;
}

/**
 * The store, with spans of the runs whose events are stored through it: `invoke_agent`, `chat` and `execute_tool`, by the
 * semantic conventions of OpenTelemetry for generative AI. A failing tracer is told to OpenTelemetry's own `diag` and
 * changes nothing else.
 *
 * @example
 * ```ts
 * import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { withSpans } from "@pawl/otel";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const exporter = new InMemorySpanExporter();
 * const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
 *
 * const coach = agent({ name: "coach", model: scriptedModel([{ text: "Hello." }]), instructions: "Be kind." });
 * const store = withSpans(memoryStore(), { tracer: provider.getTracer("app") });
 * await runtime({ agents: [coach], store }).run("coach", { userId: "ada", input: "Hi" }).result;
 * console.log(exporter.getFinishedSpans().map(({ name }) => name)); // [ 'chat claude-scripted', 'invoke_agent coach' ]
 * ```
 */
export function withSpans(
  store: EventStore,
  { tracer = trace.getTracer("@pawl/otel"), provider = "anthropic", content = false }: SpanOptions = {},
): EventStore {
  const spans = newSpans({ tracer, provider, content });
  return {
    append: async (...args) => {
      const stored = await store.append(...args);
      try {
        takeEvents(spans, stored);
      } catch (error) {
        diag.error("@pawl/otel: an event could not be made a span of", error);
      }
      return stored;
    },
    read: (...args) => store.read(...args),
    acquire: (...args) => store.acquire(...args),
    renew: (...args) => store.renew(...args),
    release: (...args) => store.release(...args),
    listRecoverable: (...args) => store.listRecoverable(...args),
    sessions: store.sessions,
  };
}
