import type { ContentBlock, Json, JsonObject } from "@pawl/core";

/** One message of a request body. */
export interface WireMessage {
  role: "user" | "assistant" | "system";
  content: string | ContentBlock[];
}

/** The body of `POST /v1/messages`, with a valid shape. */
export interface ParsedRequest {
  model: string;
  max_tokens: number;
  messages: WireMessage[];
  system?: string | ContentBlock[];
  tools?: JsonObject[];
  tool_choice?: JsonObject;
  thinking?: JsonObject;
  cache_control?: JsonObject;
  stream?: boolean;
  [field: string]: unknown;
}

/** A block with its place in the request as sent. */
export interface PlacedBlock {
  block: ContentBlock;
  message: number;
  /** e.g. `messages.2.content.0`. */
  path: string;
}

/** Neighbouring messages of one role, which the API reads as one message. */
export interface Turn {
  role: WireMessage["role"];
  blocks: PlacedBlock[];
}

/** A plain string as a text block. */
export function asBlocks(content: string | ContentBlock[]): ContentBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The messages with neighbours of one role merged, as the API reads them. */
export function turnsOf(messages: readonly WireMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const [message, { role, content }] of messages.entries()) {
    const blocks = asBlocks(content).map((block, index) => ({
      block,
      message,
      path: `messages.${message}.content.${index}`,
    }));
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks });
  }
  return turns;
}

/** Whether `value` is a JSON object and not a list. */
export function isObject(value: unknown): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
