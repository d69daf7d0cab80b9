import { clipNote, clipText } from "../base/clip-text.ts";
import type { NewEvent } from "../log/event.ts";
import { type ContentBlock, isText } from "../model/content.ts";
import type { SessionState } from "../session/state.ts";
import { hookTagsOf, ownTagsAt } from "./own-tags.ts";
import { resultText } from "./project.ts";
import { escapeTags, sanitize } from "./sanitize.ts";

/** The settings that determine how the model reads tool results. */
interface ResultForm extends Clipping {
  /** The tag around results; `undefined` for no tag. */
  readonly resultTag?: string;
}

/**
 * Sets the `content` of tool results, which the model reads: the result, clipped to the agent's limits and
 * wrapped in its `resultTag`. Without a `resultTag`, escapes only the tags that hooks have declared. `result`
 * is not changed. Call this before results are stored, because what was sent to the model must never change.
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

/** Escapes tags in the `content` of a tool result. Returns any other event unchanged. */
function withoutTagsIn(event: NewEvent, tags: readonly string[]): NewEvent {
  if (event.type !== "tool_result") return event;
  const { result, content = resultText(result) } = event.data;
  const escaped = withTexts(content, (text) => escapeTags(text, tags));
  const isSame = JSON.stringify(escaped) === JSON.stringify(content);
  return isSame ? event : { ...event, data: { ...event.data, content: escaped } };
}

/** Applies `change` to all texts in a value, also to those of nested blocks. */
function withTexts<T>(value: T, change: (text: string) => string): T {
  const changed = (part: unknown): unknown => {
    if (typeof part === "string") return change(part);
    if (Array.isArray(part)) return part.map(changed);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, changed(item)]));
  };
  return changed(value) as T;
}

/** Wraps the `content` of a tool result in a tag. Returns any other event unchanged. */
function wrapResult(tag: string, event: NewEvent, ownTags: readonly string[]): NewEvent {
  if (event.type !== "tool_result") return event;
  const { tool_name, success, result, content = resultText(result) } = event.data;
  const open = `<${tag} tool="${tool_name}"${success ? "" : ' error="true"'}>`;
  const close = `</${tag}>`;
  const sanitized = (text: string) => sanitize(text, { tags: [tag, ...ownTags] });
  const wrapped =
    typeof content === "string"
      ? `${open}\n${sanitized(content)}\n${close}`
      : wrapBlocks(content, { open, close, sanitized });
  return { ...event, data: { ...event.data, content: wrapped } };
}

/**
 * Puts blocks between two text blocks with the tags. Adds no tags if a block has a type of {@link UNWRAPPED}.
 */
function wrapBlocks(
  blocks: readonly ContentBlock[],
  { open, close, sanitized }: { open: string; close: string; sanitized(text: string): string },
): ContentBlock[] {
  const harmless = blocks.map((block) => (isText(block) ? { ...block, text: sanitized(block.text) } : block));
  if (harmless.some(({ type }) => UNWRAPPED.includes(type))) return harmless;
  return [{ type: "text", text: open }, ...harmless, { type: "text", text: close }];
}

// Text around these blocks would do harm: the API cites search results by their position, and loads the
// tools that a result references.
const UNWRAPPED: readonly string[] = ["search_result", "tool_reference"];

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
 * are stored, because what was sent to the model must never change.
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

/** The least number of characters that a text block counts towards the limit. */
const LEAST_CHARS = 20;

/**
 * Clips text blocks to `limit` characters in all, from the first block on. Replaces the text blocks that have
 * no room by one note at the end. Other blocks are not changed.
 */
function clipBlocks(blocks: readonly ContentBlock[], limit: number): ContentBlock[] {
  let remaining = limit;
  let droppedChars = 0;
  const kept = blocks.flatMap((block): ContentBlock[] => {
    if (!isText(block)) return [block];
    const { length } = block.text;
    if (remaining === 0) {
      droppedChars += length;
      return [];
    }
    const text = clipText(block.text, remaining);
    remaining = Math.max(0, remaining - Math.max(length, LEAST_CHARS));
    return [text === block.text ? block : { ...block, text }];
  });
  return droppedChars === 0 ? kept : [...kept, { type: "text", text: clipNote(droppedChars, droppedChars) }];
}
