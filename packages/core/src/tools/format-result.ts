import { type Json, toJson } from "../base/json.ts";
import { isBlank } from "../base/text.ts";
import { type ContentBlock, isText } from "../model/content.ts";
import { resultBlock } from "./result-block.ts";
import type { Tool } from "./tool.ts";

/**
 * What the model reads of a result, as the tool's `format` puts it. A formatter's mistake must not reach the
 * log: what is neither a text nor a list of blocks that the API takes counts as not formatted.
 */
export function formatted(tool: Tool, result: Json): string | ContentBlock[] | undefined {
  if (tool.format === undefined) return undefined;
  try {
    return readable(toJson(tool.format(result)));
  } catch {
    return undefined;
  }
}

/** A text, or the blocks of a list that the API takes; `undefined` for anything else. */
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
