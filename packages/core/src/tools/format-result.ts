import { type Json, toJson } from "../base/json.ts";
import { isBlank } from "../base/text.ts";
import { type ContentBlock, isText } from "../model/content.ts";
import { resultBlock } from "./result-block.ts";
import type { Tool } from "./tool.ts";

/**
 * Formats a result for the model with the tool's `format`. Returns `undefined` if `format` throws or returns
 * a value that the API would refuse; the model then gets the result in the default form.
 */
export function formatted(tool: Tool, result: Json): string | ContentBlock[] | undefined {
  if (tool.format === undefined) return undefined;
  try {
    return readable(toJson(tool.format(result)));
  } catch {
    return undefined;
  }
}

/**
 * Returns a string unchanged, and a list as the content blocks that the API accepts. Returns `undefined` for
 * any other value, for an invalid block, and for a list without content.
 */
export function readable(content: Json): string | ContentBlock[] | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  const blocks: ContentBlock[] = [];
  for (const part of content) {
    const block = resultBlock(part);
    if (block === undefined) return undefined;
    if (!isText(block) || !isBlank(block.text)) blocks.push(block);
  }
  return blocks.length === 0 ? undefined : blocks;
}
