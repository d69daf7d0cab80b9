import type { Json } from "../json.ts";
import { toJson } from "../json.ts";
import { type ContentBlock, isText } from "../model/content.ts";
import { isBlank } from "../text.ts";
import type { Tool } from "./tool.ts";

/**
 * What the model reads of a result, as the tool's `format` puts it. A formatter's mistake must not reach the log: what is
 * neither a text nor a list of blocks that the API takes counts as not formatted.
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
  if (!Array.isArray(content) || !content.every(isBlock)) return undefined;
  const blocks = (content as ContentBlock[]).filter((block) => !isText(block) || !isBlank(block.text));
  return blocks.length === 0 ? undefined : blocks;
}

/** What the API takes in a result, and what such a block cannot be without. Any other would make every later request invalid. */
const NEEDED: { readonly [type: string]: string } = {
  text: "text",
  image: "source",
  document: "source",
  search_result: "source",
  tool_reference: "tool_name",
};

function isBlock(value: Json): boolean {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  const needed = Object.hasOwn(NEEDED, String(value.type)) ? NEEDED[String(value.type)] : undefined;
  return needed !== undefined && value[needed] !== undefined;
}
