import type { FileStore } from "@pawl/core";
import { fileIndex, type IndexedFile } from "./file-index.ts";
import { type MarkdownFile, withFrontMatter } from "./front-matter.ts";
import { readMarkdown } from "./user-files.ts";

/** A capture, and the journal that it has gone into. */
export interface Capture extends MarkdownFile {
  path: string;
  day: string;
  foldedInto?: string;
}

/** How many captures are looked at when a journal is written: more than anybody has in a day. */
const MOST = 100;

/** A user's captures, oldest first; `most` of them, the newest ones. */
export async function capturesOf(files: FileStore, most: number = MOST): Promise<Capture[]> {
  const index = (await fileIndex(files, "captures")).sort((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1));
  const read = await Promise.all(
    index.slice(-most).map(async ({ path, day, modifiedAt }): Promise<Capture[]> => {
      const file = await readMarkdown(files, path);
      if (file === undefined) return [];
      const { date, folded_into } = file.attributes;
      return [
        {
          ...file,
          path,
          day: typeof date === "string" ? date : (day ?? modifiedAt.slice(0, 10)),
          ...(typeof folded_into === "string" && { foldedInto: folded_into }),
        },
      ];
    }),
  );
  return read.flat();
}

/** By day first: a capture that has gone into a journal was written anew. */
function ageOf({ day, modifiedAt }: IndexedFile): string {
  return `${day ?? modifiedAt.slice(0, 10)} ${modifiedAt}`;
}

/** The heading under which a journal carries its day's captures. */
export const CAPTURED = "## Captured during the day";

/**
 * A journal with the captures of its day under it: those that are in no journal yet, and those that are in
 * this one already, because a journal is written whole each time. So none is lost or there twice, however
 * often it is saved.
 */
export function withCaptures(journal: string, captures: readonly Capture[]): string {
  if (captures.length === 0) return journal.trimEnd();
  const own = withoutSection(journal);
  return `${own}\n\n${CAPTURED}\n\n${captures.map(({ body }) => itemOf(body)).join("\n")}\n`;
}

/** The captures that belong into the journal of a day. */
export function capturesFor(captures: readonly Capture[], day: string, journal: string): Capture[] {
  return captures.filter(
    (one) => one.foldedInto === journal || (one.foldedInto === undefined && one.day === day),
  );
}

/** Notes in the captures that they are in the journal. */
export async function markFolded(
  files: FileStore,
  captures: readonly Capture[],
  journal: string,
): Promise<number> {
  const fresh = captures.filter(({ foldedInto }) => foldedInto === undefined);
  await Promise.all(
    fresh.map(({ path, attributes, body }) =>
      files.put(path, withFrontMatter({ ...attributes, folded_into: journal }, body)),
    ),
  );
  return fresh.length;
}

/** As one item of a list, whatever stands in it. */
function itemOf(body: string): string {
  const lines = body.split("\n").map((line) => line.replace(/^#+\s+/, "").trimEnd());
  return `- ${lines.filter((line) => line !== "").join("\n  ")}`;
}

function withoutSection(journal: string): string {
  const lines = journal.split("\n");
  const from = lines.findIndex((line) => line.trim() === CAPTURED);
  if (from === -1) return journal.trimEnd();
  const next = lines.findIndex((line, at) => at > from && /^#{1,2}\s/.test(line));
  return [...lines.slice(0, from), ...(next === -1 ? [] : lines.slice(next))].join("\n").trimEnd();
}
