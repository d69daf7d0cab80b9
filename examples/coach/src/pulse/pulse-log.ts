import type { FileStore } from "@pawl/core";
import { fileIndex, newest } from "../files/file-index.ts";
import { shortHash } from "../files/file-name.ts";
import { withFrontMatter } from "../files/front-matter.ts";
import { readMarkdown } from "../files/user-files.ts";
import { domainIds, type Ratings } from "./domains.ts";

/** The last known rating of each area of life, and the day of the last check. */
export interface PulseBaseline {
  day: string;
  ratings: Ratings;
}

const FOLDER = "pulse-checks";

/**
 * Returns the ratings before a pulse check. The file of that check, which `callKey` identifies, is left out.
 */
export async function pulseBaseline(files: FileStore, callKey?: string): Promise<PulseBaseline | undefined> {
  const index = await fileIndex(files, FOLDER);
  const others =
    callKey === undefined ? index : index.filter(({ name }) => !name.endsWith(shortHash(callKey)));
  const [last] = newest(others, 1);
  const file = last && (await readMarkdown(files, last.path));
  if (file === undefined || last?.day === undefined) return undefined;
  return { day: last.day, ratings: ratingsIn(file.attributes.known) };
}

/** An answered pulse check. `at` is the time of the answer, in milliseconds since 1970. */
interface Pulse {
  day: string;
  at: number;
  callKey: string;
  ratings: Ratings;
  before: Ratings;
}

/**
 * Saves a pulse check to a file and returns its path. A repeated `callKey` overwrites the same file. Files of
 * a day sort by `at`, which does not depend on the user's time zone.
 */
export async function keepPulse(
  files: FileStore,
  { day, at, callKey, ratings, before }: Pulse,
): Promise<string> {
  const mark = shortHash(callKey);
  const kept = (await fileIndex(files, FOLDER)).find(({ name }) => name.endsWith(mark));
  const path = kept?.path ?? `${FOLDER}/${day}-${at}-${mark}.md`;
  const lines = Object.entries(ratings).map(([domain, rating]) => `- ${domain}: ${rating}`);
  const head = { type: "pulse-check", date: day, ratings, known: { ...before, ...ratings } };
  await files.put(path, withFrontMatter(head, lines.join("\n")));
  return path;
}

/** Returns the valid ratings of an attribute. The file may have been edited. */
function ratingsIn(value: unknown): Ratings {
  const fields = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  const known = domainIds.flatMap((id) => {
    const rating = fields[id];
    return Number.isInteger(rating) && Number(rating) >= 1 && Number(rating) <= 5 ? [[id, rating]] : [];
  });
  return Object.fromEntries(known);
}
