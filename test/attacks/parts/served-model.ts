import { claude } from "@pawl/anthropic";
import {
  agent,
  type Limits,
  type ModelClient,
  memoryStore,
  type RunResult,
  runtime,
  type StoredEvent,
  type Tool,
} from "@pawl/core";
import { openai } from "@pawl/openai";

/** Sends the request of a model's client. */
type Send = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Answers each request of a client. `n` counts the earlier ones. */
export function servedBy(answer: (body: { max_tokens?: number }, n: number) => Response): Send {
  let n = 0;
  return async (input, init) => {
    const body = JSON.parse(await new Request(input, init).text());
    n += 1;
    return answer(body, n - 1);
  };
}

export const KEY = "sk-ant-api03-0123456789abcdefSECRET";

export const overClaude = (fetch: Send): ModelClient =>
  claude("claude-sonnet-5-5", { apiKey: KEY, baseURL: "https://api.example.com", fetch });

export const overOpenAI = (fetch: Send): ModelClient =>
  openai("gpt-5", { apiKey: KEY, baseURL: "https://api.example.com/v1", fetch });

/** What became of one run. */
export interface Outcome {
  result: RunResult;
  events: StoredEvent[];
  errors: unknown[];
}

interface RunOnceOptions {
  limits?: Partial<Limits>;
  tools?: readonly Tool[];
  maxTokens?: number;
}

/** Has one run with this model. */
export async function runOnce(
  model: ModelClient,
  { limits = {}, tools = [], maxTokens = 8_000 }: RunOnceOptions = {},
): Promise<Outcome> {
  const errors: unknown[] = [];
  const store = memoryStore();
  const agents = [agent({ name: "a", instructions: "i", model, limits, tools, maxTokens })];
  const pawl = runtime({ agents, store, onError: (error) => errors.push(error) });
  const result = await pawl.run("a", { userId: "u", input: "Hi" }).result;
  return { result, events: await Array.fromAsync(store.read(result.sessionId)), errors };
}

/** A response with server-sent events, which are named after their `type`, if they have one. */
export function streamed(events: readonly (object | string)[]): Response {
  const body = events.map((event) => {
    if (typeof event === "string") return `data: ${event}\n\n`;
    const { type } = event as { type?: string };
    return `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`;
  });
  return new Response(body.join(""), { headers: { "content-type": "text/event-stream" } });
}

/** The events of an answer of the Messages API with one block, whose deltas these are. */
export const answerOf = (block: object, deltas: readonly object[], stop = "end_turn"): object[] => [
  {
    type: "message_start",
    message: { id: "msg_1", model: "m", usage: { input_tokens: 10, output_tokens: 1 } },
  },
  { type: "content_block_start", index: 0, content_block: block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: stop }, usage: { output_tokens: 500_000 } },
  { type: "message_stop" },
];
