import { expect, it } from "vitest";
import type { ModelClient } from "../../src/index.ts";
import { wholeAnswer } from "../../src/model/whole-answer.ts";
import type { ModelEvent } from "../../src/model.ts";

const request = { system: [], tools: [], messages: [], maxTokens: 10 };

const start: ModelEvent[] = [
  { type: "message_start", message: { id: "m", model: "m", usage: { input_tokens: 7, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
];

const text = (written: string): ModelEvent => ({
  type: "content_block_delta",
  index: 0,
  delta: { type: "text_delta", text: written },
});

it("a model that ignores the abort of a request is abandoned, and what it had begun is counted", async () => {
  const control = new AbortController();
  const model: ModelClient = {
    id: "stone",
    stream: async function* () {
      yield* [...start, text("Half an ")];
      control.abort(new Error("Enough."));
      await new Promise(() => {});
    },
  };
  const asked = await wholeAnswer(model, request, { signal: control.signal });
  expect(asked.failure?.cause).toBe(control.signal.reason);
  expect(asked.content).toEqual([{ type: "text", text: "Half an " }]);
  expect(asked.usage).toMatchObject({ inputTokens: 7, outputTokens: 1 });
});

it("an answer to a request that runs past maxTokens is cut, and counts as that many", async () => {
  let more = 0;
  const model: ModelClient = {
    id: "talker",
    stream: async function* () {
      yield* start;
      for (;;) {
        more += 1;
        yield text("and so on ");
      }
    },
  };
  const asked = await wholeAnswer(model, request, { signal: new AbortController().signal });
  expect([asked.stopReason, asked.usage.outputTokens]).toEqual(["max_tokens", 10]);
  expect(more).toBeLessThan(100);
});
