import type { NewEvent } from "../log/event.ts";
import { type ContentBlock, isText } from "../model/content.ts";
import { type Clipping, clipResults } from "./clip.ts";
import { resultText } from "./project.ts";
import { sanitize } from "./sanitize.ts";

/** The settings that determine how the model reads tool results. */
interface ResultForm extends Clipping {
  /** The tag around results; `undefined` for none. */
  readonly resultTag?: string;
}

/**
 * Gives tool results the `content` that the model reads: clipped to the agent's limits, then wrapped in its
 * tag. `result` is not changed. Call this before results are stored, because what the model was sent must
 * never change. `ownTags` are the application's tags that the session has used.
 */
export function withContent(
  agent: ResultForm,
  events: readonly NewEvent[],
  ownTags: readonly string[] = [],
): readonly NewEvent[] {
  if (!events.some(({ type }) => type === "tool_result")) return events;
  const clipped = clipResults(agent, events);
  const { resultTag: tag } = agent;
  return tag === undefined ? clipped : clipped.map((event) => wrapResult(tag, event, ownTags));
}

function wrapResult(tag: string, event: NewEvent, ownTags: readonly string[]): NewEvent {
  if (event.type !== "tool_result") return event;
  const { tool_name, success, result, content = resultText(result) } = event.data;
  const open = `<${tag} tool="${tool_name}"${success ? "" : ' error="true"'}>`;
  const close = `</${tag}>`;
  const inside = (text: string) => sanitize(text, { tags: [tag, ...ownTags] });
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
