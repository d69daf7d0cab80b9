import { type ContentBlock, isText, isToolUse, type Message, type ModelRequest } from "@pawl/core";
import type { ToolResultBlock } from "@pawl/core/model";
import type { OpenAI } from "openai";
import { shortIds } from "./short-ids.ts";

type WireMessage = OpenAI.ChatCompletionMessageParam;
type Part = OpenAI.ChatCompletionContentPartText | OpenAI.ChatCompletionContentPartImage;

/**
 * Converts a prompt to chat messages. Adjacent texts are joined with blank lines, because many servers accept
 * no lists. Blocks that other models cannot read (thinking, tools that ran on another API's side) are left
 * out, and so are messages without content.
 */
export function wireMessages(
  { system, messages }: Pick<ModelRequest, "system" | "messages">,
  systemRole: "system" | "developer",
): WireMessage[] {
  const idOf = shortIds(messages);
  const instructions = joined(system);
  const head: WireMessage[] = instructions === "" ? [] : [{ role: systemRole, content: instructions }];
  const rest = messages.flatMap((message) =>
    message.role === "assistant" ? assistantMessage(message, idOf) : userMessages(message, idOf),
  );
  return [...head, ...rest];
}

type IdOf = (id: string) => string;

function assistantMessage({ content }: Message, idOf: IdOf): WireMessage[] {
  const text = joined(content);
  const calls = content.filter(isToolUse).map(({ id, name, input }) => ({
    id: idOf(id),
    type: "function" as const,
    function: { name, arguments: JSON.stringify(input) },
  }));
  if (calls.length === 0) return text === "" ? [] : [{ role: "assistant", content: text }];
  return [{ role: "assistant", content: text === "" ? null : text, tool_calls: calls }];
}

/**
 * Converts a user message: first the results, each in its own message directly after the calls; then the
 * images in the results, and the text.
 */
function userMessages({ content }: Message, idOf: IdOf): WireMessage[] {
  const results = content.filter(isToolResult);
  const answers = results.map((result) => toolMessage(result, idOf));
  const images = results.flatMap((result) => imagesOf(result, idOf));
  const said = content.filter((block) => !isToolResult(block)).flatMap(partOf);
  const parts = [...images, ...said];
  if (parts.length === 0) return answers;
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return [...answers, { role: "user", content: texts.length === parts.length ? texts.join("\n\n") : parts }];
}

/**
 * Converts a tool result. The API's tool message has only text and no error flag, so a failure begins with
 * `Error:`.
 */
function toolMessage({ tool_use_id, content, is_error }: ToolResultBlock, idOf: IdOf): WireMessage {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const text = blocks
    .map((block) => (isText(block) ? block.text : noteOf(block)))
    .filter((line) => line !== "")
    .join("\n\n");
  const said = text.trim() === "" ? "(no output)" : text;
  return {
    role: "tool",
    tool_call_id: idOf(tool_use_id),
    content: is_error === true ? `Error: ${said}` : said,
  };
}

function noteOf(block: ContentBlock): string {
  return block.type === "image" ? "(An image, see below.)" : `(Content of type ${block.type} is left out.)`;
}

function imagesOf({ tool_use_id, content }: ToolResultBlock, idOf: IdOf): Part[] {
  const images = typeof content === "string" ? [] : content.filter(({ type }) => type === "image");
  if (images.length === 0) return [];
  return [{ type: "text", text: `Images of the result of ${idOf(tool_use_id)}:` }, ...images.flatMap(partOf)];
}

function partOf(block: ContentBlock): Part[] {
  if (isText(block)) return block.text.trim() === "" ? [] : [{ type: "text", text: block.text }];
  const url = block.type === "image" ? urlOf(block.source) : undefined;
  if (url !== undefined) return [{ type: "image_url", image_url: { url } }];
  return [{ type: "text", text: noteOf(block) }];
}

/** Returns the URL of an image. Bytes become a `data:` URL. */
function urlOf(source: ContentBlock[string] | undefined): string | undefined {
  const { type, url, media_type, data } = (source ?? {}) as { [field: string]: unknown };
  if (type === "url" && typeof url === "string") return url;
  return type === "base64" ? `data:${media_type};base64,${data}` : undefined;
}

function joined(blocks: readonly ContentBlock[]): string {
  return blocks
    .filter(isText)
    .map(({ text }) => text)
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

function isToolResult(block: ContentBlock): block is ToolResultBlock {
  return block.type === "tool_result";
}
