// The program that every runtime runs: an agent with one tool, whose answers take a while, behind `handler()`.
// The tool is served and used over HTTP, but for the network.
import { agent, jsonSchema, memoryStore, runtime, tool } from "@pawl/core";
import { localTail } from "@pawl/core/store";
import { remoteTools } from "@pawl/remote";
import { toolHandler } from "@pawl/remote/server";
import { handler } from "@pawl/sse";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls the tool, and then writes forty words. */
export const model = {
  id: "scripted",
  async *stream(request, { signal }) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    yield { type: "message_start", message: { id: "m", model: "scripted", usage } };
    const block = (content_block) => ({ type: "content_block_start", index: 0, content_block });
    const delta = (change) => ({ type: "content_block_delta", index: 0, delta: change });
    const isFirst = !JSON.stringify(request.messages).includes("tool_result");
    if (isFirst) {
      yield block({ type: "tool_use", id: "toolu_1", name: "look", input: {} });
      yield delta({ type: "input_json_delta", partial_json: "{}" });
    } else {
      yield block({ type: "text", text: "" });
      for (let n = 1; n <= 40; n += 1) {
        await sleep(15);
        signal.throwIfAborted();
        yield delta({ type: "text_delta", text: `w${n} ` });
      }
    }
    yield { type: "content_block_stop", index: 0 };
    const stop_reason = isFirst ? "tool_use" : "end_turn";
    yield { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage };
    yield { type: "message_stop" };
  },
};

export const look = tool({
  name: "look",
  description: "Looks.",
  input: jsonSchema({ type: "object", properties: {} }),
  execute: () => "found",
});
const token = "tok_0123456789abcdef";
const serveTools = toolHandler({
  tools: [look],
  authorize: ({ headers }) => (headers.get("authorization") === `Bearer ${token}` ? { userId: "ada" } : null),
});
const tools = remoteTools({
  url: "http://tools.example",
  token,
  fetch: async (url, init) => await serveTools(new Request(url, init)),
});
export const walker = agent({ name: "walker", model, instructions: "Walk.", tools });
const settings = {
  agents: [walker],
  store: memoryStore(),
  tail: localTail(),
  times: { leaseTtlMs: 600, pollMs: 100 },
};

/** Makes the request handler; in a Worker, one for each request. */
export function serveWith(options = {}) {
  return handler({
    runtime: runtime({ ...settings, ...options }),
    agent: "walker",
    authorize: () => ({ userId: "ada" }),
  });
}
