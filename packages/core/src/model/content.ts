import type { Json, JsonObject } from "../base/json.ts";

/**
 * One block of a message, in the format of the Messages API. Narrow it with `isText()` or `isToolUse()`.
 * Blocks of unknown types pass through unchanged.
 */
export interface ContentBlock {
  /** The kind of block, e.g. `text` or `tool_use`. */
  type: string;
  [key: string]: Json;
}

/** A block of text, in the format of the Messages API. */
export interface TextBlock extends ContentBlock {
  type: "text";
  text: string;
}

/** A tool call, in the format of the Messages API. */
export interface ToolUseBlock extends ContentBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: Json;
}

/** The result of a tool call, in the format of the Messages API. */
// This is a type and not an interface, because of the optional `is_error`. Without
// `exactOptionalPropertyTypes` it may be `undefined`, which the index signature of `ContentBlock` excludes.
export type ToolResultBlock = ContentBlock & {
  type: "tool_result";
  tool_use_id: string;
  content: string | ContentBlock[];
  is_error?: boolean;
};

/** One message of a request. */
export interface Message {
  /** Who wrote the message: the user, who also sends tool results, or the model. */
  role: "user" | "assistant";
  /** The message's blocks, in order. */
  content: ContentBlock[];
}

/** A tool as the model sees it. */
export interface ToolSpec {
  /** The name by which the model calls the tool. */
  name: string;
  /** What the tool does, for the model. */
  description: string;
  /** JSON Schema, draft 2020-12, of type `object`. */
  input_schema: JsonObject;
  [key: string]: Json;
}

/**
 * Returns whether the block is text.
 *
 * @example
 * ```ts
 * import { type ContentBlock, isText } from "@pawl/core";
 *
 * const content: ContentBlock[] = [
 *   { type: "thinking", thinking: "…" },
 *   { type: "text", text: "Hello." },
 * ];
 * console.log(content.find(isText)?.text); // Hello.
 * ```
 */
export function isText(block: ContentBlock): block is TextBlock {
  return block.type === "text";
}

/**
 * Returns whether the block is a tool call.
 *
 * @example
 * ```ts
 * import { type ContentBlock, isToolUse } from "@pawl/core";
 *
 * const content: ContentBlock[] = [
 *   { type: "tool_use", id: "t1", name: "weather", input: { city: "Oslo" } },
 * ];
 * console.log(content.filter(isToolUse).map(({ name }) => name)); // [ 'weather' ]
 * ```
 */
export function isToolUse(block: ContentBlock): block is ToolUseBlock {
  return block.type === "tool_use";
}

/**
 * Returns whether the block is thinking, readable or redacted.
 *
 * @example
 * ```ts
 * import { type ContentBlock, isThinking } from "@pawl/core";
 *
 * const content: ContentBlock[] = [
 *   { type: "redacted_thinking", data: "…" },
 *   { type: "text", text: "Hello." },
 * ];
 * console.log(content.filter((block) => !isThinking(block)).length); // 1
 * ```
 */
export function isThinking(block: ContentBlock): boolean {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

/** Returns whether the block is a call of a tool that runs on the API's servers, e.g. web search. */
export function isServerCall({ type }: ContentBlock): boolean {
  return type === "server_tool_use" || type === "mcp_tool_use";
}

/**
 * Returns whether the block is the result of a tool that runs on the API's servers, e.g.
 * `web_search_tool_result`. Returns `false` for `tool_result`.
 */
export function isServerResult({ type }: ContentBlock): boolean {
  return type.endsWith("_tool_result");
}

/**
 * Returns the text of all text blocks, joined without a separator.
 *
 * @example
 * ```ts
 * import { textOf } from "@pawl/core";
 *
 * const content = [
 *   { type: "text", text: "Hello, " },
 *   { type: "text", text: "Ada." },
 * ];
 * console.log(textOf(content)); // Hello, Ada.
 * ```
 */
export function textOf(content: readonly ContentBlock[]): string {
  return content
    .filter(isText)
    .map((block) => block.text)
    .join("");
}
