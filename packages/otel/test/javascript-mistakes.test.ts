import { memoryStore } from "@pawl/core";
import * as otel from "@pawl/otel";
import { expect, it } from "vitest";
import { said } from "../../../test/support/mistakes.ts";

// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const { withMetrics, withSpans } = otel as any;

it("U6 what JavaScript may pass is refused", async () => {
  expect(
    await said(
      () => withSpans(),
      () => withSpans({ store: memoryStore() }),
      () => withSpans(memoryStore(), { tracer: "app" }),
      () => withSpans(memoryStore(), { recordInputs: true }),
      () => withSpans(memoryStore(), { content: "yes" }),
      () => withMetrics(),
      () => withMetrics(memoryStore(), { meter: "app" }),
      () => withMetrics(memoryStore(), { strandedAfter: 30 }),
      () => withMetrics(memoryStore(), { strandedAfterMs: Number.NaN }),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: withSpans() needs \`store\`, an EventStore, e.g. memoryStore().",
      "config: \`store\` of withSpans() must be an EventStore, e.g. memoryStore(); got an object.",
      "config: \`tracer\` of withSpans() must be a Tracer; got a string.",
      "config: withSpans() has no option "recordInputs". The options of withSpans() are tracer, provider, content.",
      "config: \`content\` of withSpans() must be true or false; got a string.",
      "config: withMetrics() needs \`store\`, an EventStore, e.g. memoryStore().",
      "config: \`meter\` of withMetrics() must be a Meter; got a string.",
      "config: withMetrics() has no option "strandedAfter". The options of withMetrics() are meter, strandedAfterMs, clock.",
      "config: \`strandedAfterMs\` of withMetrics() must be a number of milliseconds from 0; not NaN.",
    ]
  `);
});
