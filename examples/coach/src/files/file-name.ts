import { createHash } from "node:crypto";
import { type FilePlace, type FileType, filePlaces } from "./file-type.ts";

/** Long enough for a title; in UTF-8 with its ending it stays below the 255 bytes of common file systems. */
const LONGEST = 60;
/** Letters, digits and marks of any script, and the few signs a title needs. No slash, no control, nothing unseen. */
const ALLOWED = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} _.-]*$/u;
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

/**
 * A title as a file name: compatibility forms unified, lower case, dashes for spaces, `.md` at the end.
 *
 * @throws Error that tells the model what to mend. A bad name is refused rather than cleaned: a cleaned one might be
 * the name of another file.
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

export interface NamedFile {
  type: FileType;
  name?: string | undefined;
  today: string;
  /** Tells calls apart, and is the same for every try of one call. */
  callKey: string;
}

/** Folder and name of a file inside its user's folder. */
export function placeOf({ type, name, today, callKey }: NamedFile): { folder: string; file: string } {
  const { folder, name: fallback }: FilePlace = filePlaces[type];
  return { folder, file: safeFileName(name ?? defaultName(type, fallback, today, callKey)) };
}

function defaultName(type: FileType, fallback: FilePlace["name"], today: string, callKey: string): string {
  switch (fallback) {
    case "required":
      throw new Error(`A file of the type "${type}" needs a file_name.`);
    case "date":
      return today;
    case "call":
      return `${today}-${createHash("sha256").update(callKey).digest("hex").slice(0, 8)}`;
    default:
      return fallback;
  }
}
