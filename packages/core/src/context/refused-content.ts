import { clipText } from "../base/clip-text.ts";
import type { Json } from "../base/json.ts";
import type { RefusedContent } from "../log/event-parts.ts";
import { type ContentBlock, isServerCall, isServerResult, isText, isToolUse } from "../model/content.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import { withoutMedia } from "./file-notes.ts";
import { contextEntry } from "./project.ts";

/** Applies a checkpoint for refused content: shortens the entries that it names, or replaces their text. */
export function withoutRefused(entries: readonly ContextEntry[], { events }: RefusedContent): ContextEntry[] {
  if (events.length === 0) return [...entries];
  const changes = new Map(events.map(({ seq, keep }) => [seq, { keep }]));
  return entries.flatMap((entry) => {
    const change = changes.get(entry.seq);
    return change === undefined ? [entry] : shortened(withoutMedia(entry), change.keep);
  });
}

const NOTE = "[left out: the model's provider refused this]";

/** Returns whether a note has replaced all content of an entry. */
export function isLeftOut({ blocks }: ContextEntry): boolean {
  return blocks.every((block) => block.text === NOTE || block.content === NOTE);
}

/**
 * Returns an entry with about `keep` characters of text at most, unchanged if `keep` is `undefined`. Returns
 * an empty list if nothing is left of the entry.
 */
function shortened(entry: ContextEntry, keep: number | undefined): ContextEntry[] {
  if (keep === undefined) return [entry];
  // Results of the API's own tools cannot be shortened, so they are removed, and citations of them as well.
  const blocks = entry.blocks.filter((block) => !isServerCall(block) && !isServerResult(block));
  if (blocks.length === 0) return [];
  const share = Math.floor(keep / blocks.length);
  return [
    contextEntry(
      entry.role,
      blocks.map((block) => shortBlock(block, share)),
      entry.seq,
    ),
  ];
}

function shortBlock(block: ContentBlock, keep: number): ContentBlock {
  if (isText(block)) return { type: "text", text: clippedOrNote(block.text, keep) };
  if (isToolUse(block)) return { ...block, input: shortValue(block.input, keep) };
  if (block.type !== "tool_result") return block;
  const { content } = block;
  if (!Array.isArray(content) || keep === 0)
    return { ...block, content: clippedOrNote(typeof content === "string" ? content : "", keep) };
  const share = Math.floor(keep / Math.max(1, content.length));
  return { ...block, content: content.map((part) => shortBlock(part as ContentBlock, share)) };
}

function clippedOrNote(text: string, keep: number): string {
  return keep === 0 ? NOTE : clipText(text, keep);
}

/** Clips the texts in the input of a call, each to `keep` characters. */
function shortValue(value: Json, keep: number): Json {
  if (typeof value === "string") return clipText(value, keep);
  if (Array.isArray(value)) return value.map((item) => shortValue(item, keep));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shortValue(field, keep)]));
}
