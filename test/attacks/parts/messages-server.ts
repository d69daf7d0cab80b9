import type { ServerResponse } from "node:http";
import { sendJson } from "./gateway.ts";

/** The body of a request to the Messages API, as far as attacks look. */
export interface MessagesBody {
  model: string;
  messages: { role: string; content: string | { type: string; signature?: string }[] }[];
}

/** A content block, as one delta brings it. */
interface Block {
  start: object;
  deltas: object[];
}

export const text = (words: string): Block => ({
  start: { type: "text", text: "" },
  deltas: [{ type: "text_delta", text: words }],
});

export const call = (id: string, name: string): Block => ({
  start: { type: "tool_use", id, name, input: {} },
  deltas: [{ type: "input_json_delta", partial_json: "{}" }],
});

export const thinking = (signature: string): Block => ({
  start: { type: "thinking", thinking: "", signature: "" },
  deltas: [
    { type: "thinking_delta", thinking: "Hm." },
    { type: "signature_delta", signature },
  ],
});

/** Streams an answer of these blocks; `inputTokens` is what it reports of the prompt. */
export function sendMessage(
  response: ServerResponse,
  blocks: readonly Block[],
  { stop = "end_turn", inputTokens = 10 } = {},
): void {
  const usage = { input_tokens: inputTokens, output_tokens: 1 };
  const head = { id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-5-5", content: [] };
  const events = [
    { type: "message_start", message: { ...head, stop_reason: null, stop_sequence: null, usage } },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": "req_1" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

/** Refuses as the Messages API does. */
export function refuse(
  response: ServerResponse,
  status: number,
  type: string,
  message: string,
  headers: object = {},
): void {
  const body = { type: "error", error: { type, message }, request_id: "req_1" };
  sendJson(response, status, body, { "request-id": "req_1", ...headers });
}
