import type { ContentBlock, Json, JsonObject } from "@pawl/core";

/** A message in the body of a request. */
export interface WireMessage {
  role: "user" | "assistant" | "system";
  content: string | ContentBlock[];
}

/** The body of `POST /v1/messages`, after its shape was validated. */
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

/** A block, and its path in the request that was sent. */
export interface PlacedBlock {
  block: ContentBlock;
  message: number;
  /** The path as in the API's error messages, e.g. `messages.2.content.0`. */
  path: string;
}

/** Adjacent messages of the same role, which the API reads as one message. */
export interface Turn {
  role: WireMessage["role"];
  blocks: PlacedBlock[];
}

/** Returns content as blocks: a string becomes one text block. */
export function asBlocks(content: string | ContentBlock[]): ContentBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Merges adjacent messages of the same role, as the API does. */
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

/** Returns whether a value is a JSON object and not a list. */
export function isObject(value: unknown): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
