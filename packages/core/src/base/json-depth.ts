import { excessOf } from "./excess.ts";

/**
 * The most nested levels of a value that comes from outside: a tool's input or result, an answer, the data of
 * an application's event.
 */
export const MAX_DEPTH = 500;

/**
 * The most nested levels of what is stored. An event holds values in fields of its own, e.g. a call's input
 * in the content of a message.
 */
export const MAX_STORED_DEPTH: number = 2 * MAX_DEPTH;

/**
 * Returns a value as JSON text, or `undefined` for a value that JSON drops.
 *
 * @throws RangeError for more than `levels` nested levels, and what `JSON.stringify` throws for a cycle or a
 *   bigint
 */
// How deep `JSON.stringify` gets depends on the runtime: on Node 22 and 24 the stack ends it after some
// thousand levels, on Node 26 nothing does. So levels are counted, and the stack's error means the same.
export function jsonWithin(
  value: unknown,
  levels: number,
  replacer?: (key: string, part: unknown) => unknown,
): string | undefined {
  const text = stringified(value, levels, replacer);
  if (text !== undefined && isTextDeeperThan(text, levels)) throw tooDeep(levels);
  return text;
}

function stringified(
  value: unknown,
  levels: number,
  replacer?: (key: string, part: unknown) => unknown,
): string | undefined {
  try {
    return JSON.stringify(value, replacer);
  } catch (cause) {
    const isStack = cause instanceof Error && /call stack|recursion/i.test(cause.message);
    throw isStack ? tooDeep(levels, cause) : cause;
  }
}

function tooDeep(levels: number, cause?: unknown): RangeError {
  return new RangeError(`The value is nested more than ${levels} levels deep.`, { cause });
}

const QUOTE = 34;
const BACKSLASH = 92;

/** Returns whether JSON text has more than `levels` nested levels. */
function isTextDeeperThan(text: string, levels: number): boolean {
  // Most texts are too short, or have too few brackets.
  if (text.length < 2 * (levels + 1) || !opensMoreThan(text, levels)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    // `[` and `{`, then `]` and `}`.
    else if (code === 91 || code === 123) {
      depth += 1;
      if (depth > levels) return true;
    } else if (code === 93 || code === 125) depth -= 1;
  }
  return false;
}

/** Returns whether a text has more than `most` opening brackets. */
// `indexOf` is many times faster than a loop over characters.
function opensMoreThan(text: string, most: number): boolean {
  let left = most;
  for (const bracket of ["{", "["])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (left === 0) return true;
      left -= 1;
    }
  return false;
}

/** Returns the index of the quote that ends the string at `start`. Valid JSON has one. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at))
    at += code === BACKSLASH ? 2 : 1;
  return at;
}

/**
 * Returns whether a value, e.g. parsed JSON, has more than `levels` nested levels of objects and lists.
 *
 * @example
 * ```ts
 * import { isDeeperThan } from "@pawl/core/tools";
 *
 * console.log(isDeeperThan([[1]], 1), isDeeperThan([[1]], 2)); // true false
 * ```
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  return excessOf(value, { levels, values: Number.POSITIVE_INFINITY }) === "levels";
}
