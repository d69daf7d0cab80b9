import { isBlank } from "../base/text.ts";
import type { EventData } from "../log/event-data.ts";
import { type ContentBlock, isText, isToolUse } from "../model/content.ts";

// Browsers load this module with the view. To stay small, it must not import `estimated-chars.ts`.

/**
 * Returns the blocks of a model's answer that later requests can contain, by the answer's `disposition`:
 *
 * - `kept`: all blocks except blank text, text after a tool call, and thinking without a signature. The API
 *   refuses these three. Some gateways lose signatures.
 * - `partial`: the blocks before the first tool call, up to the last text. The answer was cut off, so its
 *   calls never ran, and an incomplete thinking block has no signature.
 * - `discarded`: none.
 */
export function resendableBlocks({
  content,
  disposition,
  complete,
}: EventData["assistant_message"]): ContentBlock[] {
  if (disposition === "discarded") return [];
  const firstCall = content.findIndex(isToolUse);
  const end = firstCall === -1 ? content.length : firstCall;
  if (disposition === "kept")
    return content.filter((block, index) => canBeSent(block) && (index <= end || !isText(block)));
  const blocks = content
    .slice(0, end)
    .filter((block, index) => (index < complete || isText(block)) && canBeSent(block));
  return blocks.slice(0, blocks.findLastIndex(isText) + 1);
}

/** Returns whether the API accepts the block in a request. */
function canBeSent(block: ContentBlock): boolean {
  if (isText(block)) return !isBlank(block.text);
  return block.type !== "thinking" || (typeof block.signature === "string" && block.signature !== "");
}
