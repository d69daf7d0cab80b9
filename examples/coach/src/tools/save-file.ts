import { join } from "node:path";
import { type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import { type CoachDeps, localDate } from "../deps.ts";
import { placeOf } from "../files/file-name.ts";
import { fileTypes } from "../files/file-type.ts";
import { withFrontMatter } from "../files/front-matter.ts";
import { userFolder } from "../files/user-folder.ts";
import { writeWhole } from "../files/write-whole.ts";

/** The longest content of one file, in characters. */
export const MAX_CONTENT = 100_000;

const short = z.string().min(1).max(300);

const attributes = z.object({
  status: z.enum(["thriving", "good", "okay", "needs_attention", "in_crisis"]).optional(),
  updated_rating: short.optional().describe("How the person rates this area now, in their own scale."),
  energy: short.optional(),
  mood_signal: short.optional(),
  domains_touched: z.array(short).max(20).optional(),
  preview_line: short.optional().describe("One line that stands for the file in a list."),
});

const input = z.object({
  file_type: z.enum(fileTypes).describe("What the file is. It decides the folder."),
  file_name: z
    .string()
    .max(120)
    .optional()
    .describe(
      "A plain title without folders. Needed for domain; otherwise the date or a fixed name is used.",
    ),
  content: z.string().min(1).max(MAX_CONTENT).describe("The whole file as Markdown, without front matter."),
  attributes: attributes.optional(),
});

/**
 * Keeps Markdown in the user's own folder. Writing the same again is harmless, so a call that a crash cut off simply
 * runs once more.
 */
export const saveFile = tool({
  name: "save_file",
  description:
    "Writes one Markdown file to the person's own notes and waits until it is safe on disk. A file of the same type " +
    "and name is replaced, so always send the whole text. Use it as soon as something is worth keeping: a plan for " +
    "the day, a thought to hold on to, a question to reflect on. Several files may be saved in one turn.",
  input,
  category: "execute",
  status: { start: "Saving…", done: "Saved" },
  idempotent: true,
  timeoutMs: 10_000,
  execute: async ({ file_type, file_name, content, attributes = {} }, context: ToolContext<CoachDeps>) => {
    const { dir, today = localDate } = context.deps;
    const callKey = context.idempotencyKey;
    const { folder, file } = placeOf({ type: file_type, name: file_name, today: today(), callKey });
    const data = new TextEncoder().encode(withFrontMatter({ type: file_type, ...attributes }, content));
    await writeWhole(join(await userFolder(dir, context.userId, folder), file), data, context.signal);
    return { path: `${folder}/${file}`, bytes: data.byteLength };
  },
});
