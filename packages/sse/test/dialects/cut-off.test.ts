import { type Hook, jsonSchema, resilient, tool } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { agUi, aiSdk, type Dialect, native } from "../../src/index.ts";
import { serve } from "../support/served.ts";

const BODIES: readonly (readonly [name: string, dialect: Dialect, json: object])[] = [
  ["native", native(), { input: "Pay." }],
  [
    "AI SDK",
    aiSdk(),
    {
      id: "c1",
      trigger: "submit-message",
      messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Pay." }] }],
    },
  ],
  [
    "AG-UI",
    agUi(),
    {
      threadId: "t1",
      runId: "r1",
      state: {},
      messages: [{ id: "m1", role: "user", content: "Pay." }],
      tools: [],
      context: [],
      forwardedProps: {},
    },
  ],
];

describe("a call that was cut off", () => {
  it.each(BODIES)(
    "B3 is sent as one whose outcome is unknown, without its error: %s",
    async (_, dialect, json) => {
      const pay = tool({
        name: "pay",
        description: "Pays.",
        input: jsonSchema({ type: "object" }),
        execute: async (_input, { signal }) => {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          throw new Error("SECRET");
        },
      });
      const model = strictModel({ script: [{ tools: [{ name: "pay", id: "c1" }] }, { text: "Hm." }] });
      const started = Promise.withResolvers<string>();
      const ear: Hook = {
        name: "ear",
        beforeTool: (_call, { sessionId }) => void setTimeout(() => started.resolve(sessionId), 20),
      };
      const served = await serve(model, { dialect, tools: [pay], hooks: [ear] });
      const response = served.ask("/runs", { json });
      await served.runtime.stop(await started.promise, { userId: "ada" });
      const text = await (await response).text();
      expect(text).toContain("It is not known whether this took effect.");
      expect(text).not.toContain("SECRET");
    },
  );
});

it("B5 a page's view says until when the run waits, without the words of the model's failure", async () => {
  const model = resilient(
    strictModel({ script: [{ fault: { status: 429, retryAfter: 60 } }, { text: "Hm." }] }),
  );
  const served = await serve(model);
  const response = await served.ask("/runs", { json: { input: "Hi" } });
  const sessionId = decodeURIComponent(response.headers.get("x-pawl-session") ?? "");
  const view = async () =>
    (await (await served.ask(`/sessions/${sessionId}`)).json()) as { run: { retryAt?: string } };
  await until(async () => (await view()).run.retryAt !== undefined);
  const { retryAt } = (await view()).run;
  expect(Date.parse(retryAt ?? "") - Date.now()).toBeGreaterThan(50_000);
  await served.runtime.stop(sessionId, { userId: "ada" });
  const text = await response.text();
  expect(text).toContain('"context":{"will_retry":true,"retry_in_ms":60000}');
});
