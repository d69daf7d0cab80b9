import {
  type ContentBlock,
  type ContentBlockParam,
  isText,
  isToolUse,
  type Message,
  type ModelRequest,
} from "@pawl/core";
import { opaqueOf, type ToolResultBlock } from "@pawl/core/model";
import type { OpenAI } from "openai";
import { shortIds } from "./short-ids.ts";

type WireMessage = OpenAI.ChatCompletionMessageParam;
type Part =
  | OpenAI.ChatCompletionContentPartText
  | OpenAI.ChatCompletionContentPartImage
  | OpenAI.ChatCompletionContentPart.File;

/**
 * Converts a prompt to chat messages. Adjacent texts are joined with blank lines, because many servers accept
 * no lists. Blocks that other models cannot read (thinking, tools that ran on another API's side) are left
 * out, and so are messages without content.
 */
export function wireMessages(
  { system, messages }: Pick<ModelRequest, "system" | "messages">,
  systemRole: "system" | "developer",
  model: string,
): WireMessage[] {
  const idOf = shortIds(messages);
  const instructions = joined(system);
  const head: WireMessage[] = instructions === "" ? [] : [{ role: systemRole, content: instructions }];
  const rest = messages.flatMap((message) =>
    message.role === "assistant" ? assistantMessage(message, idOf, model) : userMessages(message, idOf),
  );
  return [...head, ...rest];
}

type IdOf = (id: string) => string;

function assistantMessage({ content }: Message, idOf: IdOf, model: string): WireMessage[] {
  const text = joined(content);
  const calls = content.filter(isToolUse).map((block) => {
    const { function: inside, ...extra } = opaqueOf(block, model);
    return {
      ...extra,
      id: idOf(block.id),
      type: "function" as const,
      function: { ...Object(inside), name: block.name, arguments: JSON.stringify(block.input) },
    };
  });
  if (calls.length === 0) return text === "" ? [] : [{ role: "assistant", content: text }];
  return [{ role: "assistant", content: text === "" ? null : text, tool_calls: calls }];
}

/**
 * Converts a user message: first the results, each in its own message directly after the calls; then the
 * images and PDFs in the results, and the text.
 */
function userMessages({ content }: Message, idOf: IdOf): WireMessage[] {
  const results = content.filter(isToolResult);
  const answers = results.map((result) => toolMessage(result, idOf));
  const files = results.flatMap((result) => filesOf(result, idOf));
  const said = content.filter((block) => !isToolResult(block)).flatMap(partOf);
  const parts = [...files, ...said];
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

function noteOf(block: ContentBlockParam): string {
  const { type } = block;
  if (type === "image") return "(An image, see below.)";
  if (pdfOf(block) !== undefined) return "(A PDF, see below.)";
  return textOfDocument(block) ?? `(Content of type ${type} is left out.)`;
}

function filesOf({ tool_use_id, content }: ToolResultBlock, idOf: IdOf): Part[] {
  const blocks = typeof content === "string" ? [] : content;
  const files = blocks.filter((block) => block.type === "image" || pdfOf(block) !== undefined);
  if (files.length === 0) return [];
  const what = files.every(({ type }) => type === "image") ? "Images" : "Files";
  return [{ type: "text", text: `${what} of the result of ${idOf(tool_use_id)}:` }, ...files.flatMap(partOf)];
}

function partOf(block: ContentBlockParam): Part[] {
  if (isText(block)) return block.text.trim() === "" ? [] : [{ type: "text", text: block.text }];
  const url = block.type === "image" ? urlOf(block.source) : undefined;
  if (url !== undefined) return [{ type: "image_url", image_url: { url } }];
  const file = pdfOf(block);
  return file === undefined ? [{ type: "text", text: noteOf(block) }] : [{ type: "file", file }];
}

/** Returns a PDF with its name, which the API requires. */
function pdfOf({
  type,
  source,
  title,
}: ContentBlockParam): { filename: string; file_data: string } | undefined {
  const { type: from, media_type, data } = (source ?? {}) as { [field: string]: unknown };
  if (type !== "document" || from !== "base64" || media_type !== "application/pdf") return undefined;
  const filename = typeof title === "string" && title !== "" ? title : "document.pdf";
  return { filename, file_data: `data:application/pdf;base64,${data}` };
}

/** Returns the text of a document, after its name if it has one. */
function textOfDocument({ type, source, title }: ContentBlockParam): string | undefined {
  const { type: from, data } = (source ?? {}) as { [field: string]: unknown };
  if (type !== "document" || from !== "text" || typeof data !== "string") return undefined;
  return typeof title === "string" && title !== "" ? `${title}:\n\n${data}` : data;
}

/** Returns the URL of an image. Bytes become a `data:` URL. */
function urlOf(source: ContentBlockParam[string] | undefined): string | undefined {
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
