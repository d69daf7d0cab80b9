import type { ServerResponse } from "node:http";

/** The body of a request to Chat Completions, as far as attacks look. */
export interface ChatBody {
  messages: {
    role: string;
    content?: unknown;
    tool_calls?: { id: string; extra_content?: unknown; function: { name: string; arguments: string } }[];
  }[];
}

const envelope = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" };

export const chunk = (delta: object, finish_reason: string | null = null): object => ({
  ...envelope,
  choices: [{ index: 0, delta, finish_reason }],
});

export const usage: object = {
  ...envelope,
  choices: [],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
};

/** The chunks of an answer in words. */
export const words = (content: string, finish_reason = "stop"): object[] => [
  chunk({ role: "assistant", content }),
  chunk({}, finish_reason),
  usage,
];

/** The chunks of an answer that calls a tool without arguments; `more` are further fields of the call. */
export const calling = (name: string, more: object = {}): object[] => {
  const call = { index: 0, id: "call_abcdefgh1", type: "function", function: { name, arguments: "{}" } };
  return [chunk({ role: "assistant", tool_calls: [{ ...call, ...more }] }), chunk({}, "tool_calls"), usage];
};

/** Streams an answer; `done: false` leaves out the line that ends such a stream. */
export function sendChunks(response: ServerResponse, chunks: readonly object[], done = true): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const one of chunks) response.write(`data: ${JSON.stringify(one)}\n\n`);
  response.end(done ? "data: [DONE]\n\n" : "");
}
