import type { Json } from "../base/json.ts";
import type { EventData } from "../log/event-data.ts";
import type { FileReference } from "../log/event-parts.ts";
import type { ContentBlock } from "../model/content.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import { PAGE_BYTES } from "./estimated-chars.ts";
import { fileOfBlock, haveMedia, isMedia, mapBlocks, noteInPlace } from "./file-blocks.ts";
import { contextEntry } from "./project.ts";

/** Totals of the files of one request. */
interface FileTotals {
  bytes: number;
  pictures: number;
  pages: number;
}

/**
 * The limits for all files of one request. They are those of Claude's Messages API for its models with the
 * smaller context. As base64, 20 MB of files take 27 MB, which leaves room for text in a request of 32 MB.
 */
const MOST_FOR_REQUEST: FileTotals = { bytes: 20_000_000, pictures: 100, pages: 100 };

/** The most pictures of a request in which one has a side longer than {@link LARGE_SIDE}. */
const MOST_LARGE = 20;

/** The side above which a picture counts as large, in pixels. */
const LARGE_SIDE = 2_000;

/**
 * Returns a checkpoint that replaces earlier files by notes, if all files of the context exceed the limits of
 * a request. Otherwise returns `undefined`. Keeps files up to half of the limits, so that such checkpoints
 * are rare. Always keeps the newest files: those of a single message do not exceed the limits.
 */
export function fileCheckpoint(
  entries: readonly ContextEntry[],
): Pick<EventData["checkpoint"], "reason" | "only" | "from_seq"> | undefined {
  if (!entries.some(({ blocks }) => haveMedia(blocks))) return undefined;
  const mediaByEntry = entries.map(({ blocks }) => mediaIn(blocks));
  if (fits(mediaByEntry.flat(), 1)) return undefined;
  let keepFrom = mediaByEntry.findLastIndex((media) => media.length > 0);
  while (keepFrom > 0 && fits(mediaByEntry.slice(keepFrom - 1).flat(), 0.5)) keepFrom -= 1;
  const firstKept = entries[keepFrom];
  return firstKept && { reason: "drop_old_results", only: "files", from_seq: firstKept.seq };
}

/** Replaces each file of an entry by a note, also one whose bytes are in the block. */
export function withoutFiles(entry: ContextEntry): ContextEntry {
  return withNotes(entry, "is no longer in the context.");
}

/**
 * Replaces the files after the model's last answer by notes. The API refused a request with these files; it
 * has accepted all earlier ones.
 */
export function withoutRefusedFiles(entries: readonly ContextEntry[]): ContextEntry[] {
  const lastAnswer = entries.findLastIndex(({ role }) => role === "assistant");
  return entries.map((entry, index) => (index > lastAnswer ? withoutMedia(entry) : entry));
}

const UNREADABLE = "is left out: the model could not read it.";

/** Replaces each file of an entry that was refused by a note, also one whose bytes are in the block. */
export function withoutMedia(entry: ContextEntry): ContextEntry {
  return withNotes(entry, UNREADABLE);
}

function withNotes(entry: ContextEntry, why: string): ContextEntry {
  const blocks = mapBlocks(entry.blocks, (block) => {
    if (!isMedia(block)) return block;
    const file = fileOfBlock(block);
    return file === undefined ? { type: "text", text: `[A file ${why}]` } : noteInPlace(block, file, why);
  });
  return blocks === entry.blocks ? entry : contextEntry(entry.role, [...blocks], entry.seq);
}

/** What counts of a file towards the limits: pictures have no `pages`, and texts have neither size. */
type Media = Pick<FileReference, "bytes" | "width" | "height" | "pages"> & { isPicture: boolean };

/** Returns the files in blocks, also those in tool results and those whose bytes are in the block. */
function mediaIn(blocks: readonly ContentBlock[]): Media[] {
  return blocks.flatMap((block) => {
    if (block.type === "tool_result")
      return Array.isArray(block.content) ? mediaIn(block.content as ContentBlock[]) : [];
    return isMedia(block) ? mediaOf(block) : [];
  });
}

function mediaOf(block: ContentBlock): Media {
  const file = fileOfBlock(block);
  if (file !== undefined) return { ...file, isPicture: file.width !== undefined };
  const { type, data } = Object(block.source) as { type?: Json; data?: Json };
  const bytes = type === "base64" && typeof data === "string" ? Math.ceil((data.length * 3) / 4) : 0;
  if (block.type === "image") return { bytes, isPicture: true };
  return { bytes, isPicture: false, pages: Math.ceil(bytes / PAGE_BYTES) };
}

/** Returns whether files stay within a share of the limits, from 0 to 1. */
function fits(media: readonly Media[], share: number): boolean {
  const totals: FileTotals = {
    bytes: media.reduce((sum, { bytes }) => sum + bytes, 0),
    pictures: media.filter(({ isPicture }) => isPicture).length,
    pages: media.reduce((sum, { pages = 0 }) => sum + pages, 0),
  };
  const isLarge = ({ width = 0, height = 0 }: Media) => Math.max(width, height) > LARGE_SIDE;
  const limits = media.some(isLarge) ? { ...MOST_FOR_REQUEST, pictures: MOST_LARGE } : MOST_FOR_REQUEST;
  return (["bytes", "pictures", "pages"] as const).every((kind) => totals[kind] <= limits[kind] * share);
}

/** Matches the messages with which APIs refuse a request because it has too many files. */
const TOO_MANY = /too many|at most|more than|maximum (number|of)|up to \d|limit of \d/i;

/** Returns whether a provider's message says that a request has too many files. */
export function tooManyFiles(message: string): boolean {
  return TOO_MANY.test(message);
}
