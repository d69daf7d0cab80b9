import { createHash } from "node:crypto";
import { isDay, plusDays } from "../base/day.ts";
import { type FilePlace, type FileType, filePlaces } from "./file-type.ts";

/**
 * The most characters of a title. Some stores write names in hexadecimal; even then, such a name fits the
 * limits of disks and buckets.
 */
const LONGEST = 60;
/**
 * Allows letters, digits and marks of any script, blanks and a few signs. Allows no slashes, control
 * characters or invisible characters.
 */
const ALLOWED = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} _.-]*$/u;
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

/**
 * Converts a title to a file name: Unicode form NFKC, lower case, dashes for spaces, `.md` at the end.
 *
 * @throws Error for a name with other characters, with a message for the model. Such a name is not repaired,
 * because the repaired name might belong to another file.
 */
export function safeFileName(title: string): string {
  const name = title.normalize("NFKC").toLowerCase().trim().replace(/\.md$/, "");
  const fits = ALLOWED.test(name) && !UNSEEN.test(name) && !name.includes("..") && !name.endsWith(".");
  if (!fits || RESERVED.test(name) || [...name].length > LONGEST) {
    throw new Error(
      `file_name must be 1 to ${LONGEST} letters, digits, spaces, "-", "_" or single dots, without any folder. ` +
        "Choose a plain title such as morning-pages.",
    );
  }
  return `${name.replace(/ +/g, "-")}.md`;
}

/** File types whose day must not be in the future. */
const LOOKS_BACK: readonly FileType[] = ["daily-log", "check-in"];

export interface NamedFile {
  type: FileType;
  name?: string | undefined;
  today: string;
  /** Identifies the tool call; the same in every attempt. */
  callKey: string;
}

/** Returns the path of a file below its user's folder, and the day of its content. */
export function placeOf({ type, name, today, callKey }: NamedFile): { path: string; day: string } {
  const place: FilePlace = filePlaces[type];
  // Checks the name even if it is not used: the model learns that names cannot be paths.
  const title = name === undefined ? undefined : safeFileName(name);
  const day = place.name === "day" && title !== undefined ? title.slice(0, -3) : today;
  if (!isDay(day)) {
    throw new Error(`The file_name of a "${type}" is its day, e.g. ${today}. Leave it out for today.`);
  }
  // A file with a future date would stay the newest one. One day ahead is allowed because of time zones.
  if (LOOKS_BACK.includes(type) && day > plusDays(today, 1)) {
    throw new Error(`The file_name of a "${type}" must not be in the future; today is ${today}.`);
  }
  return { path: `${place.folder}/${fileOf(type, place.name, title, day, callKey)}`, day };
}

function fileOf(
  type: FileType,
  kind: FilePlace["name"],
  title: string | undefined,
  day: string,
  key: string,
): string {
  if (kind === "day") return `${day}.md`;
  if (kind === "call") return title ?? `${day}-${shortHash(key)}.md`;
  if (kind !== "title") return `${kind}.md`;
  if (title === undefined) throw new Error(`A file of the type "${type}" needs a file_name.`);
  return title;
}

/** Returns eight hexadecimal digits of a text's SHA-256. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
