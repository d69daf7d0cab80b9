import { type ContentBlock, type Hook, isText, isThinking } from "@pawl/core";
import { legacyMarks, withoutBlocks } from "./blocks.ts";

/**
 * Removes legacy blocks from an answer before it is stored, so that the model does not imitate them later.
 * Their content has no effect. A `coach.legacy_block` event records which blocks were removed.
 */
export function legacyGuard(): Hook {
  return {
    name: "legacy-guard",
    afterModel: async ({ content, stopReason }, { append }) => {
      // Leaves out content before a thinking block, which is signed with it, and paused answers, which must
      // be sent back unchanged. `withoutLegacy` removes blocks from both.
      const free = content.findLastIndex(isThinking) + 1;
      const marks = content.slice(free).flatMap((block) => (isText(block) ? legacyMarks(block.text) : []));
      if (marks.length === 0 || stopReason === "pause_turn") return undefined;
      await append({ type: "coach.legacy_block", data: { blocks: [...new Set(marks)] } });
      return { content: withoutLegacyText(content, free) };
    },
  };
}

/** The text of an answer that contained only blocks. */
export const NOTHING_LEFT = "…";

/** Removes blocks from the texts at index `free` and later. The result is never empty. */
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
