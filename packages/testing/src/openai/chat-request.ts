import type { JsonObject } from "@pawl/core";

/** A message in a chat request. */
export interface ChatMessage {
  role: "system" | "developer" | "user" | "assistant" | "tool";
  content?: string | JsonObject[] | null;
  tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
  [field: string]: unknown;
}

/** The body of `POST /v1/chat/completions`, after its shape was validated. */
export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  tools?: {
    type: "function";
    function: { name: string; parameters?: JsonObject; strict?: boolean | null };
  }[];
  tool_choice?: string | JsonObject;
  stream?: boolean | null;
  stream_options?: { include_usage?: boolean } | null;
  [field: string]: unknown;
}

/** Returns the text of a message, without its images. */
export function chatText({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => (typeof text === "string" ? text : "")).join("");
}
