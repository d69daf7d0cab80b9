import { PawlError } from "../base/errors.ts";

/** The most characters of an encoded path. */
const MAX_PATH = 800;

/** The most characters of an encoded name. */
const MAX_NAME = 200;

/**
 * Characters that are stored unchanged. `_` is escaped: buckets list files by a pattern, in which `_` matches
 * any character.
 */
const PLAIN = /^[a-z0-9-]$/;

/** Names of Windows devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/;

const CONTROL = /\p{Cc}/u;

/**
 * Encodes a path as the name under which disks and buckets store it. Checks the path first.
 *
 * - Lower-case letters, digits, `-` and inner dots stay. Every other character becomes `=` and two
 *   hexadecimal digits for each byte of its UTF-8.
 * - Two paths never get the same name, even on a disk that ignores case or normalises Unicode.
 * - The name is ASCII and needs no quoting in a URL. Names of Windows devices, e.g. `con`, are escaped.
 * - Only names of files have dots; a file's name without a dot gets a `=` at its end. So a file and a folder
 *   with the same name do not collide.
 * - No stored name begins with a dot, so stores may use such names for files of their own.
 *
 * @throws PawlError `invalid_input` for an invalid path, see {@link FileStore}.
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
  const names = checkedNames(path);
  const file = names.pop() ?? "";
  return joinedNames(path, [...names.map(encodedFolder), encodedFile(file)]);
}

/**
 * Encodes the path of a folder, like {@link storedPath}. `""` is the top folder.
 *
 * @throws PawlError `invalid_input`
 *
 * @example
 * ```ts
 * import { storedFolder } from "@pawl/core/store";
 *
 * console.log(storedFolder("ada/My notes")); // ada/=4dy=20notes
 * ```
 */
export function storedFolder(folder: string): string {
  return folder === "" ? "" : joinedNames(folder, checkedNames(folder).map(encodedFolder));
}

/**
 * Decodes a name that {@link storedPath} encoded; returns `undefined` for any other name.
 *
 * @example
 * ```ts
 * import { pathOfStored, storedPath } from "@pawl/core/store";
 *
 * console.log(pathOfStored(storedPath("ada/My notes.md"))); // ada/My notes.md
 * console.log(pathOfStored("My notes.md")); // undefined
 * ```
 */
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
 * Checks a path and returns it in composed Unicode form (NFC), so that each file has one path.
 *
 * @throws PawlError `invalid_input`
 */
export function checkPath(path: string): string {
  storedPath(path); // Throws for an invalid path.
  return path.normalize("NFC");
}

/** Splits a path into its names, in composed Unicode form. Throws for an invalid path. */
function checkedNames(path: string): string[] {
  if (typeof path !== "string" || !path.isWellFormed() || CONTROL.test(path) || path.includes("\\")) {
    throw invalidPath(path, "be a string without backslashes, control characters or half surrogate pairs");
  }
  const names = path.normalize("NFC").split("/");
  if (names.some((name) => name === "" || name === "." || name === "..")) {
    throw invalidPath(
      path,
      'be names separated by single "/", none at either end; no name may be "." or ".."',
    );
  }
  return names;
}

/** Encodes the name of a folder. Names of Windows devices get an escaped first letter. */
function encodedFolder(name: string): string {
  return Array.from(name, (char) => (PLAIN.test(char) ? char : escaped(char)))
    .join("")
    .replace(DEVICE, escapedFirst);
}

/** Encodes the name of a file like that of a folder. Keeps inner dots; adds a `=` to a name without one. */
function encodedFile(name: string): string {
  const last = name.length - 1;
  let index = 0;
  let stored = "";
  for (const char of name) {
    const isPlain = PLAIN.test(char) || (char === "." && index > 0 && index < last);
    stored += isPlain ? char : escaped(char);
    index += char.length;
  }
  return `${stored.replace(DEVICE, escapedFirst)}${stored.includes(".") ? "" : "="}`;
}

function escaped(char: string): string {
  return Array.from(new TextEncoder().encode(char), (byte) => `=${byte.toString(16).padStart(2, "0")}`).join(
    "",
  );
}

function escapedFirst(name: string): string {
  return escaped(name.slice(0, 1)) + name.slice(1);
}

/** Joins encoded names. Throws if the result is too long. */
function joinedNames(path: string, names: readonly string[]): string {
  const stored = names.join("/");
  if (stored.length > MAX_PATH || names.some((name) => name.length > MAX_NAME)) {
    throw invalidPath(
      path,
      `have at most ${MAX_PATH} characters, ${MAX_NAME} in each name; all but a-z 0-9 . - count as 3 or more`,
    );
  }
  return stored;
}

function invalidPath(path: string, rule: string): PawlError {
  const shown = typeof path === "string" ? path.toWellFormed().slice(0, 100) : path;
  return new PawlError("invalid_input", `A file path must ${rule}.`, { details: { path: shown } });
}
