import { type ContentBlock, type Hook, isText, isThinking } from "@pawl/core";
import { legacyMarks, withoutBlocks } from "./blocks.ts";

/**
 * A model that writes a block of old instead of calling a tool has done nothing: nobody reads such blocks any
 * more, and so nothing is written twice. The block is taken out of the answer before it is stored, so that no
 * later prompt suggests another, and the log says so.
 */
export function legacyGuard(): Hook {
  return {
    name: "legacy-guard",
    afterModel: async ({ content, stopReason }, { append }) => {
      // What precedes thinking is signed with it, and a paused answer goes back as it is: `withoutLegacy`
      // sees to these.
      const free = content.findLastIndex(isThinking) + 1;
      const marks = content.slice(free).flatMap((block) => (isText(block) ? legacyMarks(block.text) : []));
      if (marks.length === 0 || stopReason === "pause_turn") return undefined;
      await append({ type: "coach.legacy_block", data: { blocks: [...new Set(marks)] } });
      return { content: withoutLegacyText(content, free) };
    },
  };
}

/** What is said where an answer was nothing but a block. */
export const NOTHING_LEFT = "…";

/** The same blocks, with texts behind `free` without marks; an answer is never without anything. */
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
