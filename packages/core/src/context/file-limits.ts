import type { EventData } from "../log/event-data.ts";
import type { FileReference } from "../log/event-parts.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import { fileOfBlock, filesInBlocks, haveFiles, mapBlocks, noteInPlace } from "./file-blocks.ts";
import { contextEntry } from "./project.ts";

/** What the files of a request may be in all. */
interface FileTotals {
  bytes: number;
  pictures: number;
  pages: number;
}

/**
 * The most that files of one request may be: limits of Claude's Messages API, for its models with the smaller
 * context. Base64 of 20 MB has 27 MB, which leaves room for text in a request of 32 MB.
 */
const MOST_FOR_REQUEST: FileTotals = { bytes: 20_000_000, pictures: 100, pages: 100 };

/** The most pictures of a request that has one with a longer side than {@link LARGE_SIDE}. */
const MOST_LARGE = 20;

/** In pixels. */
const LARGE_SIDE = 2_000;

/**
 * Returns the checkpoint that leaves earlier files out, if the context has more than one request may have;
 * otherwise `undefined`. Half of the limit stays, so that this is rarely due. The newest files always stay: a
 * single message has no more than the limit.
 */
export function fileCheckpoint(
  entries: readonly ContextEntry[],
): Pick<EventData["checkpoint"], "reason" | "only" | "from_seq"> | undefined {
  if (!entries.some(({ blocks }) => haveFiles(blocks))) return undefined;
  const filed = entries.map(({ blocks }) => filesInBlocks(blocks));
  if (fits(filed.flat(), 1)) return undefined;
  let from = filed.findLastIndex((files) => files.length > 0);
  while (from > 0 && fits(filed.slice(from - 1).flat(), 0.5)) from -= 1;
  const first = entries[from];
  return first && { reason: "drop_old_results", only: "files", from_seq: first.seq };
}

/** Returns an entry without its files, each replaced by a note. */
export function withoutFiles(entry: ContextEntry): ContextEntry {
  const blocks = mapBlocks(entry.blocks, (block) => {
    const file = fileOfBlock(block);
    return file === undefined ? block : noteInPlace(block, file, "is no longer in the context.");
  });
  return blocks === entry.blocks ? entry : contextEntry(entry.role, [...blocks], entry.seq);
}

/**
 * Returns the entries without the files that came after the model's last answer. The API refused a request
 * with them; it has accepted all earlier files.
 */
export function withoutRefusedFiles(entries: readonly ContextEntry[]): ContextEntry[] {
  const answered = entries.findLastIndex(({ role }) => role === "assistant");
  return entries.map((entry, at) => (at > answered ? withoutMedia(entry) : entry));
}

const UNREADABLE = "is left out: the model could not read it.";

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

function fits(files: readonly FileReference[], share: number): boolean {
  const pictures = files.filter(({ width }) => width !== undefined);
  const totals: FileTotals = {
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    pictures: pictures.length,
    pages: files.reduce((sum, file) => sum + (file.pages ?? 0), 0),
  };
  const isLarge = ({ width = 0, height = 0 }: FileReference) => Math.max(width, height) > LARGE_SIDE;
  const most = pictures.some(isLarge) ? { ...MOST_FOR_REQUEST, pictures: MOST_LARGE } : MOST_FOR_REQUEST;
  return (["bytes", "pictures", "pages"] as const).every((what) => totals[what] <= most[what] * share);
}
