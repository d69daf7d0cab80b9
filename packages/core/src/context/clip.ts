import type { NewEvent } from "../log/event.ts";
import { type ContentBlock, isText } from "../model/content.ts";
import { resultText } from "./project.ts";

/** The longest result for the model, in characters: of one tool, and of all others. */
interface Clipping {
  readonly tools: ReadonlyMap<string, { readonly maxResultChars?: number | undefined }>;
  readonly resultLimit: number;
}

/**
 * Cuts `content` of results to what the model may read; `result` stays whole. This happens once, before the
 * result is stored and first sent, so that nothing that was sent ever changes.
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

/** Clips a text to `limit` characters: its head, a note of what is left out, and its tail. */
export function clipText(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  const note = (cut: number) => `\n[clipped: ${cut} of ${text.length} chars]\n`;
  const room = Math.max(0, limit - note(text.length).length);
  const head = text.slice(0, Math.ceil(room * HEAD));
  const tail = text.slice(text.length - (room - head.length));
  // Half of a surrogate pair that the cut splits would be invalid.
  const whole = [head.replace(/[\ud800-\udbff]$/, ""), tail.replace(/^[\udc00-\udfff]/, "")] as const;
  const cut = text.length - whole[0].length - whole[1].length;
  return `${whole[0]}${note(cut)}${whole[1]}`.toWellFormed();
}

/** The head's share. Results begin with their subject and often end with an error. */
const HEAD = 0.75;

/** Clips text blocks, which share the limit in order. Other blocks stay as they are. */
function clipBlocks(blocks: readonly ContentBlock[], limit: number): ContentBlock[] {
  let left = limit;
  return blocks.map((block) => {
    if (!isText(block)) return block;
    const text = clipText(block.text, left);
    left = Math.max(0, left - block.text.length);
    return text === block.text ? block : { ...block, text };
  });
}
