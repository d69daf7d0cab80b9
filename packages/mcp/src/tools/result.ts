import { type ContentBlock, type Json, type JsonObject, toJson } from "@pawl/core";
import { withoutHidden } from "@pawl/core/tools";
import { McpFailure } from "../base/failure.ts";
import { hide } from "../base/hide.ts";
import { isObject } from "../base/json.ts";
import type { CallToolResult } from "../connect/sdk.ts";

/** The result of a tool, as it is stored and as clients get it. */
export interface McpResult extends JsonObject {
  /** The content blocks, as the server returned them. */
  content: Json[];
}

/** Images that models' APIs accept. */
const IMAGES = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** Returns what is stored of a result. @throws McpFailure if the tool failed */
export function resultOf(
  { content, structuredContent, isError }: CallToolResult,
  secrets: readonly string[],
): McpResult {
  const blocks = toJson(content ?? []) as Json[];
  const result: McpResult = {
    content: blocks,
    ...(structuredContent !== undefined && { structuredContent: toJson(structuredContent) }),
  };
  const shown = hide(result, secrets);
  if (!isError) return shown;
  const text = contentFor(shown).map(textOf).join("\n").trim();
  throw new McpFailure("mcp_tool_error", "failed", text || "The tool failed without a message.");
}

/** Returns what the model reads of a stored result. */
export function formatResult(result: Json): string | ContentBlock[] {
  const blocks = contentFor(result as McpResult);
  const isText = blocks.every(({ type }) => type === "text");
  return isText ? blocks.map(textOf).join("\n") : blocks;
}

function contentFor({ content, structuredContent }: McpResult): ContentBlock[] {
  const blocks = content.filter(isObject).map(blockOf);
  if (blocks.length > 0 || structuredContent === undefined) return blocks;
  return [text(JSON.stringify(structuredContent))];
}

function blockOf(block: JsonObject): ContentBlock {
  const { type, mimeType, data, resource } = block;
  switch (type) {
    case "text":
      return text(String(block.text ?? ""));
    case "image":
      if (IMAGES.includes(String(mimeType))) return image(String(mimeType), String(data));
      return note(`[an image of the type ${mimeType}, which cannot be shown]`);
    case "audio":
      return note(`[audio of the type ${mimeType}, which cannot be played]`);
    case "resource_link":
      return note(linkText(block));
    case "resource":
      return isObject(resource) ? resourceBlock(resource) : text("[an empty resource]");
    default:
      return note(`[content of the type ${type}]`);
  }
}

function linkText({ uri, name, description, mimeType }: JsonObject): string {
  const kind = mimeType === undefined ? "" : ` (${mimeType})`;
  const about = description === undefined ? "" : `: ${description}`;
  return `[resource ${name ?? ""} <${uri}>${kind}${about}]`;
}

/** Returns the text of an embedded resource, or a document or an image if it is one. */
export function resourceBlock({ uri, mimeType, text: written, blob }: JsonObject): ContentBlock {
  if (typeof written === "string") return text(`<${withoutHidden(String(uri))}>\n${written}`);
  if (typeof blob === "string" && IMAGES.includes(String(mimeType))) return image(String(mimeType), blob);
  if (typeof blob === "string" && mimeType === "application/pdf")
    return { type: "document", source: { type: "base64", media_type: "application/pdf", data: blob } };
  return note(`[the resource <${uri}> of the type ${mimeType ?? "unknown"}, which cannot be shown]`);
}

const text = (written: string): ContentBlock => ({ type: "text", text: written });

/** Stands for content. What the server says about it is shown without invisible characters. */
const note = (written: string): ContentBlock => text(withoutHidden(written));

const image = (media_type: string, data: string): ContentBlock => ({
  type: "image",
  source: { type: "base64", media_type, data },
});

function textOf(block: ContentBlock): string {
  return "text" in block && typeof block.text === "string" ? block.text : `[${block.type}]`;
}
