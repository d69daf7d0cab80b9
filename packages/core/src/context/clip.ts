import { clipNote, clipText } from "../base/clip-text.ts";
import type { NewEvent } from "../log/event.ts";
import { type ContentBlock, isText } from "../model/content.ts";
import { resultText } from "./project.ts";

/**
 * The longest results that the model reads, in characters: `maxResultChars` for one tool, `resultLimit` for
 * all others.
 */
export interface Clipping {
  readonly tools: ReadonlyMap<string, { readonly maxResultChars?: number | undefined }>;
  readonly resultLimit: number;
}

/**
 * Clips the `content` of tool results to the agent's limits; `result` stays whole. Call this before results
 * are stored, because what the model was sent must never change.
 */
export function clipResults(agent: Clipping, events: readonly NewEvent[]): NewEvent[] {
  return events.map((event) => {
    if (event.type !== "tool_result") return event;
    const limit = agent.tools.get(event.data.tool_name)?.maxResultChars ?? agent.resultLimit;
    const { result, content = resultText(result) } = event.data;
    const clipped = typeof content === "string" ? clipText(content, limit) : clipBlocks(content, limit);
    return clipped === content ? event : { ...event, data: { ...event.data, content: clipped } };
  });
}

/** How many characters a text block counts at least. */
const LEAST_CHARS = 20;

/**
 * Clips text blocks to `limit` characters in all, from the first block on. One note takes the place of those
 * that have no room. Other blocks are not changed.
 */
function clipBlocks(blocks: readonly ContentBlock[], limit: number): ContentBlock[] {
  let left = limit;
  let over = 0;
  const kept = blocks.flatMap((block) => {
    if (!isText(block)) return [block];
    const { length } = block.text;
    if (left === 0) over += length;
    if (left === 0) return [];
    const text = clipText(block.text, left);
    left = Math.max(0, left - Math.max(length, LEAST_CHARS));
    return [text === block.text ? block : { ...block, text }];
  });
  return over === 0 ? kept : [...kept, { type: "text", text: clipNote(over, over) }];
}
