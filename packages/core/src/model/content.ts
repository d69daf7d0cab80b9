import type { Json, JsonObject } from "../base/json.ts";

/**
 * One block of a message as it may be given, in the format of the Messages API. Its type may be any text, and
 * blocks of unknown types pass through unchanged. What is read is a {@link ContentBlock}.
 */
export interface ContentBlockParam {
  /** The kind of block, e.g. `text` or `tool_use`. */
  type: string;
  [key: string]: Json;
}

/**
 * One block of a message as it is read, in the format of the Messages API. `block.type === "text"`
 * narrows it, and so do `isText()` and `isToolUse()`. A block of an unknown type is an {@link OtherBlock}:
 * compare such a type as text, `(block.type as string) === "of_2030"`.
 */
export type ContentBlock = TextBlock | ThinkingBlock | ToolUseBlock | ToolResultBlock | OtherBlock;

/** A block of text, in the format of the Messages API. */
export interface TextBlock extends ContentBlockParam {
  type: "text";
  text: string;
}

/** The model's readable thinking, in the format of the Messages API. */
export interface ThinkingBlock extends ContentBlockParam {
  type: "thinking";
  thinking: string;
}

/** A tool call, in the format of the Messages API. */
export interface ToolUseBlock extends ContentBlockParam {
  type: "tool_use";
  id: string;
  name: string;
  input: Json;
}

/** The result of a tool call, in the format of the Messages API. */
// This is a type and not an interface, because of the optional `is_error`. Without
// `exactOptionalPropertyTypes` it may be `undefined`, which the index signature excludes.
export type ToolResultBlock = ContentBlockParam & {
  type: "tool_result";
  tool_use_id: string;
  content: string | ContentBlock[];
  is_error?: boolean;
};

/** Any other block. Its fields are JSON, and to be checked before they are used. */
export interface OtherBlock extends ContentBlockParam {
  type:
    | "compaction"
    | "container_upload"
    | "document"
    | "fallback"
    | "image"
    | "mcp_tool_listing"
    | "mcp_tool_use"
    | "redacted_thinking"
    | "search_result"
    | "server_tool_use"
    | "tool_addition"
    | "tool_reference"
    | "tool_removal"
    | `${string}_tool_result`
    // Types that no version knows, so that no list of cases is complete. A plain `string` would contain the
    // known ones, and nothing would be narrowed.
    | (`${string}_${string}` & { readonly [unknownType]: true });
}

declare const unknownType: unique symbol;

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
 * import { type ContentBlockParam, isText } from "@pawl/core";
 *
 * const content: ContentBlockParam[] = [
 *   { type: "thinking", thinking: "…" },
 *   { type: "text", text: "Hello." },
 * ];
 * console.log(content.find(isText)?.text); // Hello.
 * ```
 */
export function isText(block: ContentBlockParam): block is TextBlock {
  return block.type === "text";
}

/**
 * Returns whether the block is a tool call.
 *
 * @example
 * ```ts
 * import { type ContentBlockParam, isToolUse } from "@pawl/core";
 *
 * const content: ContentBlockParam[] = [
 *   { type: "tool_use", id: "t1", name: "weather", input: { city: "Oslo" } },
 * ];
 * console.log(content.filter(isToolUse).map(({ name }) => name)); // [ 'weather' ]
 * ```
 */
export function isToolUse(block: ContentBlockParam): block is ToolUseBlock {
  return block.type === "tool_use";
}

/**
 * Returns whether the block is thinking, readable or redacted.
 *
 * @example
 * ```ts
 * import { type ContentBlockParam, isThinking } from "@pawl/core";
 *
 * const content: ContentBlockParam[] = [
 *   { type: "redacted_thinking", data: "…" },
 *   { type: "text", text: "Hello." },
 * ];
 * console.log(content.filter((block) => !isThinking(block)).length); // 1
 * ```
 */
export function isThinking(block: ContentBlockParam): boolean {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

/** Returns whether the block is a call of a tool that runs on the API's servers, e.g. web search. */
export function isServerCall({ type }: ContentBlockParam): boolean {
  return type === "server_tool_use" || type === "mcp_tool_use";
}

/**
 * Returns whether the block is the result of a tool that runs on the API's servers, e.g.
 * `web_search_tool_result`. Returns `false` for `tool_result`.
 */
export function isServerResult({ type }: ContentBlockParam): boolean {
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
export function textOf(content: readonly ContentBlockParam[]): string {
  return content
    .filter(isText)
    .map((block) => block.text)
    .join("");
}
