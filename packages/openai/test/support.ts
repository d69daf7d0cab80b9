import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelClient, ModelRequest } from "@pawl/core";
import type { ModelEvent } from "@pawl/core/model";
import { type OpenAIOptions, openai } from "@pawl/openai";
import { answersTo } from "../../../test/support/read-answer.ts";

export const hi: ModelRequest = {
  system: [{ type: "text", text: "Be brief." }],
  tools: [{ name: "look", description: "Looks.", input_schema: { type: "object", properties: {} } }],
  messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  maxTokens: 100,
};

export function client(api: { url: string }, options: OpenAIOptions = {}): ModelClient {
  return openai("gpt-5.4-mini", { apiKey: "sk-proj-secret", baseURL: api.url, ...options });
}

/** Reads an answer to its end, or to the error. */
export const read = answersTo(hi);

/** A server that gives one fixed answer to everything. */
export async function fixed(body: string, status = 200, headers: Record<string, string> = {}) {
  const type = status === 200 ? { "content-type": "text/event-stream" } : {};
  const server = createServer((_request, response) =>
    response.writeHead(status, { ...type, ...headers }).end(body),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

/** What comes of a stream of these chunks; text is sent as it is. */
export async function stream(
  chunks: readonly (object | string)[],
  options: OpenAIOptions = {},
  request: ModelRequest = hi,
) {
  const lines = chunks.map(
    (chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`,
  );
  await using server = await fixed(lines.join(""));
  return await read(client(server, options), undefined, request);
}

/** A chunk as the smallest of servers send it. */
export const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "chatcmpl-1",
  model: "tiny",
  choices: [{ index: 0, delta, finish_reason }],
});

export const call = (more: object, name?: string, args?: string) => ({
  ...more,
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
});

/** The blocks that the events make, with what a reader would have of them. */
export function blocksOf(events: readonly ModelEvent[]) {
  const blocks: { type: string; id?: unknown; name?: unknown; text: string; stopped: boolean }[] = [];
  for (const event of events) {
    if (event.type === "content_block_start") {
      const { type, id, name } = event.content_block;
      blocks[event.index] = { type, ...(type === "tool_use" && { id, name }), text: "", stopped: false };
    }
    if (event.type === "content_block_delta") {
      blocks[event.index]!.text += event.delta.text ?? event.delta.partial_json ?? "";
    }
    if (event.type === "content_block_stop") blocks[event.index]!.stopped = true;
  }
  return blocks;
}

export function stopOf(events: readonly ModelEvent[]) {
  const last = events.findLast((event) => event.type === "message_delta");
  return last?.type === "message_delta" ? last.delta.stop_reason : undefined;
}
