import type { Attributes } from "@opentelemetry/api";
import { BasicTracerProvider, type ReadableSpan } from "@opentelemetry/sdk-trace-base";
import type { EventStore } from "@pawl/core";
import { withSpans } from "../../../../../otel/src/index.ts";

/** A span that has begun, with the attributes that a sampler has seen. */
export interface Begun {
  readonly span: ReadableSpan;
  readonly given: Attributes;
}

/** Records all spans that a store makes. */
export class Recorded {
  readonly begun: Begun[] = [];
  readonly #provider = new BasicTracerProvider({
    spanProcessors: [
      {
        onStart: (span) => {
          this.begun.push({ span: span as never, given: { ...(span as never as ReadableSpan).attributes } });
        },
        onEnd: () => undefined,
        forceFlush: async () => undefined,
        shutdown: async () => undefined,
      },
    ],
  });

  over(store: EventStore): EventStore {
    return withSpans(store, { tracer: this.#provider.getTracer("test"), content: true });
  }
}
