import { Anthropic, APIError } from "@anthropic-ai/sdk";
import type { ContentBlock } from "@pawl/core";
import type { MessagesApi } from "@pawl/testing";

export interface Body {
  [field: string]: unknown;
}

/** A valid request to a model that allows much; rows of a table change one thing each. */
export function valid(changes: Body = {}): Body {
  return {
    model: "claude-sonnet-5-5",
    max_tokens: 100,
    messages: [{ role: "user", content: "Hi" }],
    ...changes,
  };
}

export function sdk(api: { url: string }): Anthropic {
  return new Anthropic({ apiKey: "test-key", baseURL: api.url, maxRetries: 0 });
}

export type Sent =
  | { message: Anthropic.Message }
  | { status: number | undefined; type: unknown; text: unknown };

/** Sends `body` through the SDK and says what came back. */
export async function send(api: MessagesApi, body: Body): Promise<Sent> {
  try {
    const params = body as unknown as Anthropic.MessageCreateParamsNonStreaming;
    return { message: (await sdk(api).messages.create(params, { timeout: 60_000 })) as Anthropic.Message };
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    return { status: error.status, type: error.type, text: error.apiMessage };
  }
}

export const weather: Body = {
  name: "get_weather",
  description: "The weather of a city.",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

export const user = (...content: (ContentBlock | string)[]): Body => ({
  role: "user",
  content: content.map((part) => (typeof part === "string" ? { type: "text", text: part } : part)),
});

export const assistant = (...content: (ContentBlock | string)[]): Body => ({
  ...user(...content),
  role: "assistant",
});

export const call = (id: string, name = "get_weather"): ContentBlock => ({
  type: "tool_use",
  id,
  name,
  input: { city: "Oslo" },
});

export const result = (id: string, content: unknown = "rain"): ContentBlock =>
  ({ type: "tool_result", tool_use_id: id, content }) as ContentBlock;

export const marked = (ttl?: "5m" | "1h"): Body => ({
  cache_control: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) },
});

/** A text of about `tokens` tokens, as the simulator counts. */
export const long = (tokens: number, word = "lorem "): string =>
  word.repeat(Math.ceil((tokens * 4) / word.length));

export const messages = (...list: Body[]): Body => ({ tools: [weather], messages: list });

export const block = (fields: Body): ContentBlock => fields as ContentBlock;

export const text = (value: string, more: Body = {}): ContentBlock =>
  block({ type: "text", text: value, ...more });
