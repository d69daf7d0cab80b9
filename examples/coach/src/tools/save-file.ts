import { type FileStore, type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import { dayOf } from "../base/day.ts";
import type { CoachDeps } from "../deps/deps.ts";
import { capturesFor, capturesOf, markFolded, withCaptures } from "../files/captures.ts";
import { placeOf } from "../files/file-name.ts";
import { type FileType, fileTypes } from "../files/file-type.ts";
import { withFrontMatter } from "../files/front-matter.ts";
import { harmlessMarkdown } from "../files/harmless.ts";
import { prioritiesIn } from "../plans/day-plans.ts";

/** The longest content of a file, in UTF-16 code units. */
export const MAX_CONTENT = 100_000;

/** A short text. NUL is refused, because databases cannot store it. */
const short = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => !text.includes("\0"), "No NUL characters.");

const attributes = z.object({
  status: z.enum(["thriving", "good", "okay", "needs_attention", "in_crisis"]).optional(),
  updated_rating: short.optional().describe("How the person rates this area now, in their own scale."),
  energy: short.optional(),
  mood_signal: short.optional(),
  domains_touched: z.array(short).max(20).optional(),
  preview_line: short.optional().describe("One line that represents the file in a list."),
  intention: short.optional().describe("Of a day-plan: what the day is for."),
  priorities: z.array(short).max(10).optional().describe("Of a day-plan: what comes first."),
});

const input = z.object({
  file_type: z.enum(fileTypes).describe("What the file is. It decides the folder."),
  file_name: z
    .string()
    .max(120)
    .optional()
    .describe(
      "A plain title without folders; a domain needs one. For types with one file per day: the day as YYYY-MM-DD; default: today.",
    ),
  content: z.string().min(1).max(MAX_CONTENT).describe("The whole file as Markdown, without front matter."),
  attributes: attributes.optional(),
});

export type SaveFileInput = z.infer<typeof input>;

/** The result of `save_file`. */
export interface SavedFile {
  success: true;
  path: string;
  /** The size of the file in bytes, as UTF-8. */
  bytes: number;
  /** How many captures this call added to the journal. */
  captures_folded?: number;
}

/**
 * Saves Markdown in the user's files and waits until it is stored. After a crash the call runs again, because
 * saving the same content twice is harmless.
 */
export const saveFile = tool({
  name: "save_file",
  description:
    "Writes one Markdown file to the person's own notes and waits until it is safe. A file of the same type " +
    "and name is replaced, so always send the whole text. Use it as soon as something is worth keeping: a plan for " +
    "the day, a thought to hold on to, a question to reflect on. Several files may be saved in one turn. The day's captures " +
    "are added to a daily-log by themselves.",
  input,
  category: "execute",
  status: { start: "Saving…", done: "Saved" },
  idempotent: true,
  timeoutMs: 10_000,
  shortenInput: ["content"],
  execute: async (file, context: ToolContext<CoachDeps>): Promise<SavedFile> => {
    const { files, plans, now, timeZone } = context.deps.coach;
    const today = dayOf(now(), timeZone);
    const { file_type: type, file_name: name } = file;
    const { path, day } = placeOf({ type, name, today, callKey: context.idempotencyKey });
    const content = harmlessMarkdown(file.content);
    if (content.trim() === "") throw new Error("content must not be blank.");
    context.signal.throwIfAborted();
    if (type === "daily-log") return await saveJournal(files, { ...file, content }, path, day);
    const saved = await put(files, path, fileText({ ...file, content }, day));
    if (type === "day-plan") {
      const { intention, priorities = prioritiesIn(content) } = file.attributes ?? {};
      await plans.save({ day, path, priorities, ...(intention !== undefined && { intention }) });
    }
    return saved;
  },
});

/** Formats a file in the form in which it is stored. */
export function fileText({ file_type, attributes = {}, content }: SaveFileInput, day: string): string {
  return withFrontMatter({ type: file_type satisfies FileType, date: day, ...attributes }, content);
}

/**
 * Writes the journal, then marks its captures. After a crash between the two, repeating both gives the same
 * result.
 */
async function saveJournal(
  files: FileStore,
  file: SaveFileInput,
  path: string,
  day: string,
): Promise<SavedFile> {
  const captures = capturesFor(await capturesOf(files), day, path);
  const saved = await put(
    files,
    path,
    fileText({ ...file, content: withCaptures(file.content, captures) }, day),
  );
  const folded = await markFolded(files, captures, path);
  return { ...saved, ...(folded > 0 && { captures_folded: folded }) };
}

async function put(files: FileStore, path: string, text: string): Promise<SavedFile> {
  const data = new TextEncoder().encode(text);
  await files.put(path, data);
  return { success: true, path, bytes: data.byteLength };
}
