import { messageOf, PawlError } from "../base/errors.ts";
import { jsonWithin, MAX_STORED_DEPTH } from "../base/json-depth.ts";
import type { NewEvent } from "./event.ts";

/** The longest id, type or key in bytes of UTF-8: two of them fit into one entry of a database index. */
const MAX_NAME_BYTES = 1_000;

/** How many characters of an invalid name the error message shows. */
const SHOWN = 40;

/**
 * Returns whether a text can be an id, a type or a key: 1 to 1,000 bytes of UTF-8, without NUL or half a
 * surrogate pair.
 *
 * @example
 * ```ts
 * import { isName } from "@pawl/core/store";
 *
 * console.log(isName("session-1"), isName("")); // true false
 * ```
 */
export function isName(name: string): boolean {
  if (typeof name !== "string") return false;
  // A UTF-16 code unit takes at most three bytes of UTF-8, so a short name need not be encoded.
  const tooLong = name.length * 3 > MAX_NAME_BYTES && new TextEncoder().encode(name).length > MAX_NAME_BYTES;
  return name !== "" && !tooLong && !name.includes("\0") && name.isWellFormed();
}

/**
 * Checks that ids, types or keys can be stored: 1 to 1,000 bytes of UTF-8, without NUL or half a surrogate
 * pair.
 *
 * @throws PawlError `invalid_input`
 *
 * @example
 * ```ts
 * import { checkNames } from "@pawl/core/store";
 *
 * checkNames("session-1", "ada"); // does nothing
 * try {
 *   checkNames("");
 * } catch (error) {
 *   console.log(error); // PawlError: Ids, types and keys must be …, with the code `invalid_input`
 * }
 * ```
 */
export function checkNames(...names: readonly string[]): void {
  for (const name of names) checkName(name);
}

function checkName(name: string): void {
  if (isName(name)) return;
  const shown = typeof name === "string" ? JSON.stringify(name.slice(0, SHOWN)) : typeof name;
  throw new PawlError(
    "invalid_input",
    `Ids, types and keys must be strings of 1 to 1,000 bytes of UTF-8 without NUL, not ${shown}.`,
  );
}

/**
 * Checks that a database can store a text unchanged.
 *
 * @throws PawlError `invalid_input` for a NUL or half a surrogate pair, which no database stores as text.
 *
 * @example
 * ```ts
 * import { checkText } from "@pawl/core/store";
 *
 * checkText("It rains in Oslo."); // does nothing
 * try {
 *   checkText("a\0b");
 * } catch (error) {
 *   console.log(error); // PawlError: A stored text must not contain NUL …, with the code `invalid_input`
 * }
 * ```
 */
export function checkText(text: string): void {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw new PawlError("invalid_input", "A stored text must not contain NUL or half a surrogate pair.");
  }
}

/**
 * Checks the events and the id of an append.
 *
 * @throws PawlError `invalid_input` if there are no events, or for an invalid type or key, or one key twice.
 *
 * @example
 * ```ts
 * import { checkBatch } from "@pawl/core/store";
 *
 * checkBatch([{ type: "note", data: { text: "hello" } }], "append-1"); // does nothing
 * try {
 *   checkBatch([], "append-2");
 * } catch (error) {
 *   console.log(error); // PawlError: An append must have at least one event …, with the code `invalid_input`
 * }
 * ```
 */
export function checkBatch(events: readonly NewEvent[], appendId: string): void {
  if (events.length === 0)
    throw new PawlError("invalid_input", "An append must have at least one event; got none.");
  checkName(appendId);
  const keys: string[] = [];
  for (const { type, key } of events) {
    checkName(type);
    if (key === undefined) continue;
    checkName(key);
    keys.push(key);
  }
  if (keys.length > 1 && new Set(keys).size < keys.length) {
    throw new PawlError("invalid_input", "Two events of the append have the same key. Keys must be unique.");
  }
}

/**
 * Returns a payload as JSON text; `undefined` becomes `null`. Store the text in a text column, which keeps it
 * unchanged.
 *
 * @param levels the most nested levels. Default: 1,000, the limit of all stores
 * @throws PawlError `invalid_input` for a cycle, a bigint or more levels.
 *
 * @example
 * ```ts
 * import { jsonText } from "@pawl/core/store";
 *
 * console.log(jsonText({ city: "Oslo" }), jsonText(undefined)); // {"city":"Oslo"} null
 * ```
 */
export function jsonText(value: unknown, levels: number = MAX_STORED_DEPTH): string {
  return jsonTextOf(value, levels);
}

/**
 * Returns metadata as JSON text, like {@link jsonText}, but replaces a NUL or half a surrogate pair in a text
 * by U+FFFD. Postgres's `jsonb` refuses both, and all stores treat metadata alike.
 *
 * @example
 * ```ts
 * import { jsonbText } from "@pawl/core/store";
 *
 * console.log(jsonbText({ title: "a\0b" })); // {"title":"a�b"}
 * ```
 */
export function jsonbText(value: unknown): string {
  return jsonTextOf(value, MAX_STORED_DEPTH, (_key, part) =>
    typeof part === "string" ? part.toWellFormed().replaceAll("\0", "\uFFFD") : part,
  );
}

function jsonTextOf(
  value: unknown,
  levels: number,
  replacer?: (key: string, part: unknown) => unknown,
): string {
  try {
    return jsonWithin(value, levels, replacer) ?? "null";
  } catch (error) {
    throw new PawlError("invalid_input", `The value cannot be stored as JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
