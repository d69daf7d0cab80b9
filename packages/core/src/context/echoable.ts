import { isBlank } from "../base/text.ts";
import type { EventData } from "../log/event-data.ts";
import { type ContentBlock, isText, isToolUse } from "../model/content.ts";

// Pages load this module with the view, so it must not import the estimate of tokens.

/**
 * Returns the blocks of an answer that can be sent again:
 *
 * - `kept`: everything except blank text, text after a tool call, and thinking without a signature, which
 *   some gateways lose. The API refuses blocks of these three kinds.
 * - `partial`: complete blocks and text before the first tool call, up to the last text. A call that never
 *   ran must not be sent, and a clipped thinking block has no signature.
 * - `discarded`: nothing.
 */
export function echoable({ content, disposition, complete }: EventData["assistant_message"]): ContentBlock[] {
  if (disposition === "discarded") return [];
  const call = content.findIndex(isToolUse);
  const end = call === -1 ? content.length : call;
  if (disposition === "kept")
    return content.filter((block, at) => canBeSent(block) && (at <= end || !isText(block)));
  const blocks = content
    .slice(0, end)
    .filter((block, at) => (at < complete || isText(block)) && canBeSent(block));
  return blocks.slice(0, blocks.findLastIndex(isText) + 1);
}

function canBeSent(block: ContentBlock): boolean {
  if (isText(block)) return !isBlank(block.text);
  return block.type !== "thinking" || (typeof block.signature === "string" && block.signature !== "");
}
