import { clipText } from "../base/clip-text.ts";
import type { Json } from "../base/json.ts";
import type { RefusedContent } from "../log/event-parts.ts";
import { REDACTED } from "../log/store/redacted.ts";
import { type ContentBlock, isServerCall, isServerResult, isText, isToolUse } from "../model/content.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import { withoutMedia } from "./file-notes.ts";
import { contextEntry } from "./project.ts";

/** Applies a checkpoint for refused content: shortens the entries that it names, or replaces their text. */
export function withoutRefused(
  entries: readonly ContextEntry[],
  { by, events }: RefusedContent,
): ContextEntry[] {
  if (events.length === 0) return [...entries];
  const changes = new Map(events.map(({ seq, keep }) => [seq, { keep }]));
  return entries.flatMap((entry) => {
    const change = changes.get(entry.seq);
    return change === undefined
      ? [entry]
      : shortened(withoutMedia(entry), change.keep, by === "hook" ? BY_HOOK : NOTE);
  });
}

const NOTE = "[left out: the model's provider refused this]";
const BY_HOOK = "[left out: this message was refused]";
const LEFT_OUT_TEXTS: readonly unknown[] = [NOTE, BY_HOOK, REDACTED];

/** Returns whether a note has replaced all content of an entry, also one that was redacted since then. */
export function isLeftOut({ blocks }: ContextEntry): boolean {
  return blocks.every(({ text, content = text }) => LEFT_OUT_TEXTS.includes(content));
}

/**
 * Returns an entry with about `keep` characters of text at most, unchanged if `keep` is `undefined`. Returns
 * an empty list if nothing is left of the entry.
 */
function shortened(entry: ContextEntry, keep: number | undefined, note: string): ContextEntry[] {
  if (keep === undefined || keep >= entry.chars) return [entry];
  // Results of the API's own tools cannot be shortened, so they are removed, and citations of them as well.
  const blocks = entry.blocks.filter((block) => !isServerCall(block) && !isServerResult(block));
  if (blocks.length === 0) return [];
  // `keep` counts characters of JSON, in which some count twice. A share fits every text.
  const share = keep / entry.chars;
  return [
    contextEntry(
      entry.role,
      blocks.map((block) => shortBlock(block, share, note)),
      entry.seq,
    ),
  ];
}

/** Keeps a share of a block, from 0 to 1. */
function shortBlock(block: ContentBlock, share: number, note: string): ContentBlock {
  if (isText(block)) return { type: "text", text: share === 0 ? note : shortenedText(block.text, share) };
  if (isToolUse(block)) return { ...block, input: shortInput(block.input, share) };
  if (block.type !== "tool_result") return block;
  const { content } = block;
  const text = Array.isArray(content) ? content.map(textOfPart).join("\n") : content;
  return { ...block, content: shortenedText(typeof text === "string" ? text : "", share) };
}

/** Returns the text of a part of a tool's result. A part of another type counts as its JSON text. */
function textOfPart(part: Json): string {
  const { text, source } = Object(part) as { text?: Json; source?: Json };
  const { data } = Object(source) as { data?: Json };
  return [text, data].find((one) => typeof one === "string") ?? JSON.stringify(part);
}

/** Clips a text, unless its clipped form would be longer. */
function shortenedText(text: string, share: number): string {
  if (share === 0) return NOTE;
  const clipped = clipText(text, Math.floor(text.length * share));
  return clipped.length < text.length ? clipped : text;
}

/**
 * Shortens the input of a call: clips its texts, or all of its JSON text if it is long for another reason,
 * e.g. a list of many numbers.
 */
function shortInput(input: Json, share: number): Json {
  if (share === 0) return { clipped: NOTE };
  const json = JSON.stringify(input);
  const short = shortValue(input, share);
  if (JSON.stringify(short).length <= json.length * share + 200) return short;
  return { clipped: shortenedText(json, share) };
}

/** Clips the texts in a value. */
function shortValue(value: Json, share: number): Json {
  if (typeof value === "string") return shortenedText(value, share);
  if (Array.isArray(value)) return value.map((item) => shortValue(item, share));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shortValue(field, share)]));
}
