import { claude } from "@pawl/anthropic";
import type { ModelClient, ModelRequest, PawlError } from "@pawl/core";
import type { ModelEvent } from "@pawl/core/model";

export const hi: ModelRequest = {
  system: [{ type: "text", text: "Be brief." }],
  tools: [{ name: "look", description: "Looks.", input_schema: { type: "object" } }],
  messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  maxTokens: 100,
};

export function client(api: { url: string }, options: Parameters<typeof claude>[1] = {}): ModelClient {
  return claude("claude-sonnet-5-5", { apiKey: "sk-ant-secret", baseURL: api.url, ...options });
}

/** Reads an answer to its end, or to the error. */
export async function read(
  model: ModelClient,
  signal: AbortSignal = new AbortController().signal,
  request: ModelRequest = hi,
): Promise<{ events: ModelEvent[]; error?: PawlError }> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(request, { signal })) events.push(event);
    return { events };
  } catch (error) {
    return { events, error: error as PawlError };
  }
}
