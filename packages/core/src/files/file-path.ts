import { PawlError } from "../base/errors.ts";

const MAX_PATH = 800;

const MAX_NAME = 200;

/**
 * What stands for itself, on any disk and in any bucket. Not `_`: buckets list by a pattern in which it is
 * any character.
 */
const PLAIN = /^[a-z0-9-]$/;

/** Devices of Windows, with whatever ending. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/;

const CONTROL = /\p{Cc}/u;

/**
 * A path as disks and buckets keep it, after it was checked: lower-case letters, digits, `-` and inner dots
 * stand for themselves, everything else is `=` and two hexadecimal digits for each byte of UTF-8. So two
 * paths never meet on a disk that ignores case or normalises Unicode, nor in a bucket that lists by a
 * pattern, names of devices are harmless, and the result is ASCII that needs no quoting in a URL. Dots are
 * kept in the names of files only, and one that has none gets a `=` at its end, so a file is never in the way
 * of a folder. Nothing of this begins with a dot: those names are free for others.
 *
 * @throws PawlError `invalid_input` for what is no path, see {@link FileStore}.
 *
 * @example
 * ```ts
 * import { storedPath } from "@pawl/core/store";
 *
 * console.log(storedPath("ada/notes/oslo.md"), storedPath("ada/Über uns.md"));
 * // ada/notes/oslo.md ada/=c3=9cber=20uns.md
 * ```
 */
export function storedPath(path: string): string {
  const names = namesOf(path);
  const file = names.pop() ?? "";
  return checkedPart(path, [...names.map(folderName), fileName(file)]);
}

/**
 * The same for a folder: `""` is the topmost one.
 *
 * @throws PawlError `invalid_input`
 */
export function storedFolder(folder: string): string {
  return folder === "" ? "" : checkedPart(folder, namesOf(folder).map(folderName));
}

/** The path that {@link storedPath} has made this of; `undefined` for names that others have put there. */
export function pathOfStored(stored: string): string | undefined {
  const plain = stored.endsWith("=") ? stored.slice(0, -1) : stored;
  try {
    const path = decodeURIComponent(plain.replaceAll("=", "%"));
    return storedPath(path) === stored ? path : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A path in the form in which two of the same file are equal.
 *
 * @throws PawlError `invalid_input`
 */
export function checkPath(path: string): string {
  storedPath(path);
  return path.normalize("NFC");
}

function namesOf(path: string): string[] {
  if (typeof path !== "string" || !path.isWellFormed() || CONTROL.test(path) || path.includes("\\")) {
    throw refused(path, "no backslashes, control characters or half surrogate pairs");
  }
  const names = path.normalize("NFC").split("/");
  if (names.some((name) => name === "" || name === "." || name === "..")) {
    throw refused(path, 'names with "/" between them and not around them, none of which is "." or ".."');
  }
  return names;
}

function folderName(name: string): string {
  return Array.from(name, (char) => (PLAIN.test(char) ? char : escaped(char)))
    .join("")
    .replace(DEVICE, escapeFirst);
}

function fileName(name: string): string {
  const last = name.length - 1;
  let at = 0;
  let stored = "";
  for (const char of name) {
    const plain = PLAIN.test(char) || (char === "." && at > 0 && at < last);
    stored += plain ? char : escaped(char);
    at += char.length;
  }
  return `${stored.replace(DEVICE, escapeFirst)}${stored.includes(".") ? "" : "="}`;
}

function escaped(char: string): string {
  return Array.from(new TextEncoder().encode(char), (byte) => `=${byte.toString(16).padStart(2, "0")}`).join(
    "",
  );
}

function escapeFirst(name: string): string {
  return escaped(name.slice(0, 1)) + name.slice(1);
}

function checkedPart(path: string, names: readonly string[]): string {
  const stored = names.join("/");
  if (stored.length > MAX_PATH || names.some((name) => name.length > MAX_NAME)) {
    throw refused(
      path,
      `at most ${MAX_PATH} characters, and ${MAX_NAME} in a name; all but a-z 0-9 . - count three or more`,
    );
  }
  return stored;
}

function refused(path: string, rule: string): PawlError {
  const shown = typeof path === "string" ? path.toWellFormed().slice(0, 100) : path;
  return new PawlError("invalid_input", `A file's path has ${rule}.`, { details: { path: shown } });
}
