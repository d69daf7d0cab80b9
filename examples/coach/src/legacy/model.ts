import { type ContentBlock, isText, isThinking, type Message, type ModelClient } from "@pawl/core";
import { legacyMarks, withoutTags } from "./blocks.ts";
import { NOTHING_LEFT, withoutLegacyText } from "./guard.ts";

/**
 * Wraps a model so that it never reads legacy blocks. The log keeps them, so pages can still show them.
 * Messages are converted one by one, so the cached beginning of the prompt does not change.
 */
export function withoutLegacy(model: ModelClient): ModelClient {
  const { id, pricing, forcedToolChoice, reads } = model;
  return {
    id,
    ...(pricing !== undefined && { pricing }),
    ...(forcedToolChoice !== undefined && { forcedToolChoice }),
    ...(reads !== undefined && { reads }),
    stream: (request, options) =>
      model.stream({ ...request, messages: request.messages.map(withoutBlocksIn) }, options),
  };
}

function withoutBlocksIn(message: Message): Message {
  const { content } = message;
  const plain = content.map(withPlainResult);
  if (!plain.some(hasMark)) return { ...message, content: plain };
  return { ...message, content: withoutLegacyText(plain, plain.findLastIndex(isThinking) + 1) };
}

function hasMark(block: ContentBlock): boolean {
  return isText(block) && legacyMarks(block.text).length > 0;
}

/** Removes marks from a tool result and keeps the text between them, which belongs to the result. */
function withPlainResult(block: ContentBlock): ContentBlock {
  const { type, content } = block as ContentBlock & { content?: unknown };
  if (type !== "tool_result") return block;
  if (typeof content === "string") return { ...block, content: withoutTags(content) };
  if (!Array.isArray(content)) return block;
  return { ...block, content: (content as ContentBlock[]).map(withoutTagsIn) };
}

function withoutTagsIn(block: ContentBlock): ContentBlock {
  return hasMark(block) && isText(block)
    ? { ...block, text: withoutTags(block.text) || NOTHING_LEFT }
    : block;
}
