import { agent, memoryStore, runtime, tool } from "@pawl/core";
import { expect, it } from "vitest";
import * as z from "zod";
import { processorTime } from "../../../test/support/processor-time.ts";
import { claude } from "../src/index.ts";

const NO_LIMITS = { outputTokens: Number.POSITIVE_INFINITY, costUsd: Number.POSITIVE_INFINITY };

const save = tool({
  name: "save",
  description: "Saves.",
  input: z.object({ v: z.string() }),
  execute: ({ v }) => v.length,
});

/** An answer with one block, as the API streams it. */
function streamed(block: object, deltas: readonly object[], stop: string): Response {
  const message = { id: "msg_1", model: "m", usage: { input_tokens: 1, output_tokens: 1 } };
  const events = [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: stop }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
}

const text = (piece: string, count: number) =>
  streamed({ type: "text", text: "" }, Array(count).fill({ type: "text_delta", text: piece }), "end_turn");

function call(length: number): Response {
  const json = JSON.stringify({ v: "w".repeat(length) });
  const pieces = json.match(/.{1,10000}/g) ?? [];
  const deltas = pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }));
  return streamed({ type: "tool_use", id: "toolu_1", name: "save", input: {} }, deltas, "tool_use");
}

/** Returns the processor time of a run whose first answer is this one, in milliseconds. */
async function cost(answer: Response): Promise<number> {
  const answers = [answer, text("Fine.", 1)];
  const fetch = async () => answers.shift() ?? Response.error();
  const model = claude("claude-sonnet-5-5", { apiKey: "k", baseURL: "https://api.example.com", fetch });
  const limited = { limits: NO_LIMITS, maxTokens: 10_000_000 };
  const reader = agent({ name: "a", instructions: "i", model, tools: [save], ...limited });
  const pawl = runtime({ agents: [reader], store: memoryStore() });
  const spent = processorTime();
  const { stop } = await pawl.run("a", { userId: "u", input: "Hi" }).result;
  expect(stop.type).toBe("end_turn");
  return spent();
}

it.each<[string, (times: number) => Response]>([
  ["text", (times) => text("q".repeat(20_000), 50 * times)],
  ["many small pieces", (times) => text("q", 10_000 * times)],
  ["a tool's input", (times) => call(1_000_000 * times)],
])("an answer of %s that is four times as long takes no sixteen times the time", async (_, answer) => {
  await cost(answer(1));
  const once = await cost(answer(1));
  expect(await cost(answer(4))).toBeLessThan(10 * once + 100);
});
