import type { EventData } from "../log/event-data.ts";
import type { FileReference } from "../log/event-parts.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import { fileOfBlock, filesInBlocks, haveFiles, mapBlocks, noteInPlace } from "./file-blocks.ts";
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
  if (!entries.some(({ blocks }) => haveFiles(blocks))) return undefined;
  const filesByEntry = entries.map(({ blocks }) => filesInBlocks(blocks));
  if (fits(filesByEntry.flat(), 1)) return undefined;
  let keepFrom = filesByEntry.findLastIndex((files) => files.length > 0);
  while (keepFrom > 0 && fits(filesByEntry.slice(keepFrom - 1).flat(), 0.5)) keepFrom -= 1;
  const firstKept = entries[keepFrom];
  return firstKept && { reason: "drop_old_results", only: "files", from_seq: firstKept.seq };
}

/** Replaces each file of an entry by a note. */
export function withoutFiles(entry: ContextEntry): ContextEntry {
  const blocks = mapBlocks(entry.blocks, (block) => {
    const file = fileOfBlock(block);
    return file === undefined ? block : noteInPlace(block, file, "is no longer in the context.");
  });
  return blocks === entry.blocks ? entry : contextEntry(entry.role, [...blocks], entry.seq);
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

/** Replaces each file of an entry by a note, also one whose bytes are in the block. */
function withoutMedia(entry: ContextEntry): ContextEntry {
  const blocks = mapBlocks(entry.blocks, (block) => {
    if (block.type !== "image" && block.type !== "document") return block;
    const file = fileOfBlock(block);
    return file === undefined
      ? { type: "text", text: `[A file ${UNREADABLE}]` }
      : noteInPlace(block, file, UNREADABLE);
  });
  return blocks === entry.blocks ? entry : contextEntry(entry.role, [...blocks], entry.seq);
}

/** Returns whether files stay within a share of the limits, from 0 to 1. */
function fits(files: readonly FileReference[], share: number): boolean {
  const pictures = files.filter(({ width }) => width !== undefined);
  const totals: FileTotals = {
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    pictures: pictures.length,
    pages: files.reduce((sum, file) => sum + (file.pages ?? 0), 0),
  };
  const isLarge = ({ width = 0, height = 0 }: FileReference) => Math.max(width, height) > LARGE_SIDE;
  const limits = pictures.some(isLarge) ? { ...MOST_FOR_REQUEST, pictures: MOST_LARGE } : MOST_FOR_REQUEST;
  return (["bytes", "pictures", "pages"] as const).every((kind) => totals[kind] <= limits[kind] * share);
}
