import { type ContentBlock, isText, isThinking, type Message, type ModelClient } from "@pawl/core";
import { legacyMarks } from "./blocks.ts";
import { withoutLegacyText } from "./guard.ts";

/**
 * A model that never reads a block of old: conversations that have them keep them in their log, and are shown with them. It is a
 * function of each message alone, so the prompt's beginning stays the same from request to request.
 */
export function withoutLegacy(model: ModelClient): ModelClient {
  const { id, pricing, forcedToolChoice } = model;
  return {
    id,
    ...(pricing !== undefined && { pricing }),
    ...(forcedToolChoice !== undefined && { forcedToolChoice }),
    stream: (request, options) =>
      model.stream({ ...request, messages: request.messages.map(withoutBlocksIn) }, options),
  };
}

function withoutBlocksIn(message: Message): Message {
  const { content } = message;
  if (!content.some(hasMark)) return message;
  return { ...message, content: withoutLegacyText(content, content.findLastIndex(isThinking) + 1) };
}

function hasMark(block: ContentBlock): boolean {
  return isText(block) && legacyMarks(block.text).length > 0;
}
