import { clipNote, clipText } from "../base/clip-text.ts";
import type { NewEvent } from "../log/event.ts";
import { type ContentBlock, isText } from "../model/content.ts";
import type { SessionState } from "../session/state.ts";
import { hookTagsOf, ownTagsAt } from "./own-tags.ts";
import { resultText } from "./project.ts";
import { sanitize, withoutTags } from "./sanitize.ts";

/** The settings that determine how the model reads tool results. */
interface ResultForm extends Clipping {
  /** The tag around results; `undefined` for none. */
  readonly resultTag?: string;
}

/**
 * Gives tool results the `content` that the model reads: clipped to the agent's limits, then wrapped in its
 * tag. `result` is not changed. Call this before results are stored, because what the model was sent must
 * never change. Without a tag, only the tags that hooks have declared are made harmless.
 */
export function withContent(
  agent: ResultForm,
  events: readonly NewEvent[],
  state: Pick<SessionState, "ownTags" | "lastSeq">,
): readonly NewEvent[] {
  if (!events.some(({ type }) => type === "tool_result")) return events;
  const clipped = clipResults(agent, events);
  const { resultTag: tag } = agent;
  if (tag !== undefined) {
    const ownTags = ownTagsAt(state, state.lastSeq);
    return clipped.map((event) => wrapResult(tag, event, ownTags));
  }
  const hookTags = hookTagsOf(state);
  return hookTags.length === 0 ? clipped : clipped.map((event) => withoutTagsIn(event, hookTags));
}

function withoutTagsIn(event: NewEvent, tags: readonly string[]): NewEvent {
  if (event.type !== "tool_result") return event;
  const { result, content = resultText(result) } = event.data;
  const harmless = withTexts(content, (text) => withoutTags(text, tags));
  const isSame = JSON.stringify(harmless) === JSON.stringify(content);
  return isSame ? event : { ...event, data: { ...event.data, content: harmless } };
}

/** Changes all texts in a value, also those of nested blocks. */
function withTexts<T>(value: T, change: (text: string) => string): T {
  const changed = (part: unknown): unknown => {
    if (typeof part === "string") return change(part);
    if (Array.isArray(part)) return part.map(changed);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, changed(one)]));
  };
  return changed(value) as T;
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
