import type { ContextEntry } from "../session/context-entry.ts";
import { fileOfBlock, isMedia, mapBlocks, noteInPlace } from "./file-blocks.ts";
import { contextEntry } from "./project.ts";

// Every start of a process loads this module, so the limits of files are in another one.

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
