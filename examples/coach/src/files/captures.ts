import type { FileStore } from "@pawl/core";
import { fileIndex, type IndexedFile } from "./file-index.ts";
import { type MarkdownFile, withFrontMatter } from "./front-matter.ts";
import { readMarkdown } from "./user-files.ts";

/** A capture: a short note of the user. `foldedInto` is the path of the journal that contains it. */
export interface Capture extends MarkdownFile {
  path: string;
  day: string;
  foldedInto?: string;
}

/** The most captures that are read for a journal. Nobody makes that many in a day. */
const MOST = 100;

/** Returns the newest `most` captures of a user, oldest first. */
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

/**
 * Returns a sort key: first the day, then the time of the last change. The time alone is not enough, because
 * it changes when a journal takes in the capture.
 */
function ageOf({ day, modifiedAt }: IndexedFile): string {
  return `${day ?? modifiedAt.slice(0, 10)} ${modifiedAt}`;
}

/** The heading of the day's captures in a journal. */
export const CAPTURED = "## Captured during the day";

/**
 * Appends captures to a journal, in a separate section. Replaces that section if the journal has one, so each
 * capture occurs once however often the journal is saved.
 */
export function withCaptures(journal: string, captures: readonly Capture[]): string {
  if (captures.length === 0) return journal.trimEnd();
  const own = withoutSection(journal);
  return `${own}\n\n${CAPTURED}\n\n${captures.map(({ body }) => itemOf(body)).join("\n")}\n`;
}

/**
 * Returns the captures for the journal of a day: captures that this journal contains already, and the day's
 * captures that no journal contains.
 */
export function capturesFor(captures: readonly Capture[], day: string, journal: string): Capture[] {
  return captures.filter(
    (one) => one.foldedInto === journal || (one.foldedInto === undefined && one.day === day),
  );
}

/** Records in the captures' files which journal contains them. Returns how many had no such record. */
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

/** Formats a text of several lines as one list item. */
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
