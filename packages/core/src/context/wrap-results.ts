import type { NewEvent } from "../log/event.ts";
import { type ContentBlock, isText } from "../model/content.ts";
import { type Clipping, clipResults } from "./clip.ts";
import { resultText } from "./project.ts";
import { sanitize, WRAPPER_TAGS } from "./sanitize.ts";

/** The settings that determine how the model reads tool results. */
interface ResultForm extends Clipping {
  /** The tag around results; `undefined` for none. */
  readonly resultTag?: string;
}

/**
 * Gives tool results the `content` that the model reads: clipped to the agent's limits, then wrapped in its
 * tag. `result` is not changed. Call this before results are stored, because what the model was sent must
 * never change.
 */
export function withContent(agent: ResultForm, events: readonly NewEvent[]): readonly NewEvent[] {
  if (!events.some(({ type }) => type === "tool_result")) return events;
  const clipped = clipResults(agent, events);
  const { resultTag: tag } = agent;
  return tag === undefined ? clipped : clipped.map((event) => wrapResult(tag, event));
}

function wrapResult(tag: string, event: NewEvent): NewEvent {
  if (event.type !== "tool_result") return event;
  const { tool_name, success, result, content = resultText(result) } = event.data;
  const open = `<${tag} tool="${tool_name}"${success ? "" : ' error="true"'}>`;
  const close = `</${tag}>`;
  const inside = (text: string) => sanitize(text, { tags: [tag] });
  const wrapped =
    typeof content === "string"
      ? `${open}\n${inside(content)}\n${close}`
      : wrapBlocks(content, { open, close, inside });
  return { ...event, data: { ...event.data, content: wrapped } };
}

/** Puts blocks between two blocks with the tags, unless they contain a kind that must stand alone. */
function wrapBlocks(
  blocks: readonly ContentBlock[],
  { open, close, inside }: { open: string; close: string; inside(text: string): string },
): ContentBlock[] {
  const shown = blocks.map((block) => (isText(block) ? { ...block, text: inside(block.text) } : block));
  if (shown.some(({ type }) => ALONE.includes(type))) return shown;
  return [{ type: "text", text: open }, ...shown, { type: "text", text: close }];
}

// The API cites search results by their place, and loads referenced tools.
const ALONE: readonly string[] = ["search_result", "tool_reference"];

const TAG = /^[a-z][a-z0-9_-]{0,63}$/i;

/** Returns whether a text can be the tag around results: a valid name that Pawl's own tags do not use. */
export function isResultTag(tag: string): boolean {
  const taken: readonly string[] = WRAPPER_TAGS;
  return TAG.test(tag) && !taken.includes(tag.toLowerCase());
}
