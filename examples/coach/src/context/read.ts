import type { FileStore } from "@pawl/core";
import { fileIndex, newest } from "../files/file-index.ts";
import type { MarkdownFile } from "../files/front-matter.ts";
import { readMarkdown } from "../files/user-files.ts";

/** Reads one file and formats it for the model; `undefined` if it does not exist. */
export async function oneFile(files: FileStore, path: string): Promise<string | undefined> {
  const file = await readMarkdown(files, path);
  return file && [notes(file), file.body].filter((part) => part !== "").join("\n");
}

/** Reads the newest files of a folder, newest first, each below a line with its day. */
export async function lastOf(
  files: FileStore,
  folder: string,
  count: number,
  maxChars: number,
): Promise<string | undefined> {
  const index = newest(await fileIndex(files, folder), count);
  const read = await Promise.all(
    index.map(async ({ path, name }) => {
      const file = await readMarkdown(files, path);
      return file === undefined ? [] : [`### ${name}${notes(file)}\n${clip(file.body, maxChars)}`];
    }),
  );
  const texts = read.flat();
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

/** Formats the attributes that the model needs, in parentheses. */
function notes({ attributes }: MarkdownFile): string {
  const said = TOLD.flatMap((name) => {
    const value = attributes[name];
    const text = Array.isArray(value) ? value.join(", ") : value;
    return typeof text === "string" && text !== "" ? [`${name}: ${clip(textOf(text), 120)}`] : [];
  });
  return said.length === 0 ? "" : ` (${said.join("; ")})`;
}

const TOLD = ["status", "updated_rating", "energy", "mood_signal", "domains_touched", "intention"] as const;

/** Puts a text on one line. */
export function textOf(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Shortens a text to at most `maxChars` characters, with `…` at its end. */
export function clip(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).toWellFormed()}…`;
}
