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

/**
 * Clips a text to `limit` characters. Keeps its beginning and its end, with a note between them of how much
 * is left out.
 */
export function clipText(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  const note = (cut: number) => `\n[clipped: ${cut} of ${text.length} chars]\n`;
  const room = Math.max(0, limit - note(text.length).length);
  const head = text.slice(0, Math.ceil(room * HEAD));
  const tail = text.slice(text.length - (room - head.length));
  // The cut may split a surrogate pair, and half of a pair is invalid.
  const whole = [head.replace(/[\ud800-\udbff]$/, ""), tail.replace(/^[\udc00-\udfff]/, "")] as const;
  const cut = text.length - whole[0].length - whole[1].length;
  return `${whole[0]}${note(cut)}${whole[1]}`.toWellFormed();
}

/**
 * The share of the limit that goes to the beginning. Results begin with their subject and often end with an
 * error.
 */
const HEAD = 0.75;

/** Clips text blocks to `limit` characters in all, from the first block on. Other blocks are not changed. */
function clipBlocks(blocks: readonly ContentBlock[], limit: number): ContentBlock[] {
  let left = limit;
  return blocks.map((block) => {
    if (!isText(block)) return block;
    const text = clipText(block.text, left);
    left = Math.max(0, left - block.text.length);
    return text === block.text ? block : { ...block, text };
  });
}
