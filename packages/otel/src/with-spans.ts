import { diag, type Tracer, trace } from "@opentelemetry/api";
import { checkOptions, type EventStore, type OptionKinds, PawlError, type StoredEvent } from "@pawl/core";
import type { AppendOptions } from "@pawl/core/store";
import { passThrough } from "./pass-through.ts";
import { leaveRun, newSpans, takeEvents } from "./spans.ts";
import { STORE } from "./store-option.ts";

/** Options of `withSpans()`. */
export interface SpanOptions {
  /** The tracer that makes the spans. Default: the tracer `@pawl/otel` of the global provider. */
  tracer?: Tracer;
  /**
   * The provider of the models, by its name in OpenTelemetry's conventions, e.g. `openai`. Default:
   * `anthropic`.
   */
  provider?: string;
  /**
   * Whether spans contain the inputs and results of tools, as JSON. They may be personal data. Default: no.
   */
  content?: boolean;
}

const OPTIONS: OptionKinds<SpanOptions> = {
  tracer: { mustBe: "a Tracer", is: (tracer) => typeof Object(tracer).startSpan === "function" },
  provider: "string",
  content: "boolean",
};

/**
 * Wraps a store so that it makes OpenTelemetry spans from stored events: `invoke_agent` for a run, `chat` for
 * a model request and `execute_tool` for a tool call. They follow version 0.1.0 of OpenTelemetry's semantic
 * conventions for generative AI. Only spans of what failed are in error. An error of the tracer is reported
 * to OpenTelemetry's `diag`; the run continues.
 *
 * @example
 * ```ts
 * import {
 *   BasicTracerProvider,
 *   InMemorySpanExporter,
 *   SimpleSpanProcessor,
 * } from "@opentelemetry/sdk-trace-base";
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { withSpans } from "@pawl/otel";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const exporter = new InMemorySpanExporter();
 * const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
 *
 * const coach = agent({
 *   name: "coach",
 *   model: scriptedModel([{ text: "Hello." }]),
 *   instructions: "Be kind.",
 * });
 * const store = withSpans(memoryStore(), { tracer: provider.getTracer("app") });
 * await runtime({ agents: [coach], store }).run("coach", { userId: "ada", input: "Hi" }).result;
 * console.log(exporter.getFinishedSpans().map(({ name }) => name));
 * // [ 'chat claude-scripted', 'invoke_agent coach' ]
 * ```
 */
export function withSpans(store: EventStore, options: SpanOptions = {}): EventStore {
  checkOptions("withSpans()", { store }, STORE);
  checkOptions("withSpans()", options, OPTIONS);
  const { tracer = trace.getTracer("@pawl/otel"), provider = "anthropic", content = false } = options;
  const spans = newSpans({ tracer, provider, content });
  const safely = (work: () => void) => {
    try {
      work();
    } catch (error) {
      diag.error("@pawl/otel: no span could be made for an event", error);
    }
  };
  const under = passThrough(store);
  const { appendWith } = under;
  const traced = async ({ lease, release }: AppendOptions, appending: Promise<readonly StoredEvent[]>) => {
    try {
      const stored = await appending;
      safely(() => takeEvents(spans, stored, lease?.epoch));
      if (release && lease !== undefined) safely(() => leaveRun(spans, lease));
      return stored;
    } catch (error) {
      if (lease !== undefined && PawlError.is(error, "fenced")) safely(() => leaveRun(spans, lease, "lost"));
      throw error;
    }
  };
  return {
    ...under,
    append: (id, events, options) => traced(options, under.append(id, events, options)),
    ...(appendWith && {
      appendWith: (id, events, options, also) => traced(options, appendWith(id, events, options, also)),
    }),
    release: async (lease) => {
      safely(() => leaveRun(spans, lease));
      await under.release(lease);
    },
    renew: async (lease, ttlMs) => {
      const held = await under.renew(lease, ttlMs);
      if (!held) safely(() => leaveRun(spans, lease, "lost"));
      return held;
    },
  };
}
