import { memoryStore, PawlError } from "@pawl/core";
import * as otel from "@pawl/otel";
import { expect, it } from "vitest";

// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const { withSpans } = otel as any;

/** Returns the messages of the errors that these calls throw or reject with. */
async function said(...calls: (() => unknown)[]): Promise<string[]> {
  const messages: string[] = [];
  for (const call of calls) {
    try {
      await call();
      messages.push("accepted");
    } catch (error) {
      messages.push(
        PawlError.is(error) ? `${error.code}: ${error.message}` : `NOT A PAWL ERROR: ${String(error)}`,
      );
    }
  }
  return messages;
}

it("U6 what JavaScript may pass is refused", async () => {
  expect(
    await said(
      () => withSpans(),
      () => withSpans({ store: memoryStore() }),
      () => withSpans(memoryStore(), { tracer: "app" }),
      () => withSpans(memoryStore(), { recordInputs: true }),
      () => withSpans(memoryStore(), { content: "yes" }),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: withSpans() needs \`store\`, an EventStore, e.g. memoryStore().",
      "config: \`store\` of withSpans() must be an EventStore, e.g. memoryStore(); got an object.",
      "config: \`tracer\` of withSpans() must be a Tracer; got a string.",
      "config: withSpans() has no option "recordInputs". The options of withSpans() are tracer, provider, content.",
      "config: \`content\` of withSpans() must be true or false; got a string.",
    ]
  `);
});
