import { type ContentBlock, type Hook, isText, isThinking } from "@pawl/core";
import { legacyMarks, withoutBlocks } from "./blocks.ts";

/**
 * Removes legacy blocks from an answer before it is stored, so that no later prompt suggests writing another
 * one. A block has no effect, so nothing is written twice. The log records that blocks were removed.
 */
export function legacyGuard(): Hook {
  return {
    name: "legacy-guard",
    afterModel: async ({ content, stopReason }, { append }) => {
      // Content before a thinking block is signed with it, and a paused answer goes back as it is.
      // `withoutLegacy` cleans both.
      const free = content.findLastIndex(isThinking) + 1;
      const marks = content.slice(free).flatMap((block) => (isText(block) ? legacyMarks(block.text) : []));
      if (marks.length === 0 || stopReason === "pause_turn") return undefined;
      await append({ type: "coach.legacy_block", data: { blocks: [...new Set(marks)] } });
      return { content: withoutLegacyText(content, free) };
    },
  };
}

/** Replaces an answer that had nothing but blocks. */
export const NOTHING_LEFT = "…";

/** Removes blocks from the texts from position `free` on. The result is never empty. */
export function withoutLegacyText(content: readonly ContentBlock[], free = 0): ContentBlock[] {
  const kept = content.flatMap((block, index): ContentBlock[] => {
    if (index < free || !isText(block)) return [block];
    const text = withoutBlocks(block.text);
    return text.trim() === "" ? [] : [text === block.text ? block : { ...block, text }];
  });
  return kept.some(({ type }) => type !== "thinking")
    ? kept
    : [...kept, { type: "text", text: NOTHING_LEFT }];
}
