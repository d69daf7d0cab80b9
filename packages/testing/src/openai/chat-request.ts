import type { JsonObject } from "@pawl/core";

/** One message of a chat request. */
export interface ChatMessage {
  role: "system" | "developer" | "user" | "assistant" | "tool";
  content?: string | JsonObject[] | null;
  tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
  [field: string]: unknown;
}

/** The body of `POST /v1/chat/completions`, with a valid shape. */
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

/** The text of a message, without its images. */
export function chatText({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => (typeof text === "string" ? text : "")).join("");
}
