import { claude } from "@pawl/anthropic";
import type { ModelClient, ModelRequest } from "@pawl/core";
import { answersTo } from "../../../test/support/read-answer.ts";

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
export const read = answersTo(hi);
