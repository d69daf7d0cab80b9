import { excessOf } from "./excess.ts";

/**
 * The most nested levels of a value that comes from outside: a tool's input or result, an answer, the data of
 * an application's event.
 */
export const MAX_DEPTH = 500;

/**
 * The most nested levels of a stored payload. More than {@link MAX_DEPTH}, because a payload has such values
 * in fields of its own, e.g. a call's input in the content of a message.
 */
export const MAX_STORED_DEPTH: number = 2 * MAX_DEPTH;

/**
 * Returns a value as JSON text, or `undefined` for a value that JSON drops, e.g. a function.
 *
 * @throws RangeError for more than `levels` nested levels, and what `JSON.stringify` throws for a cycle or a
 *   bigint
 */
// The depth that `JSON.stringify` reaches depends on the runtime: Node 22 and 24 overflow the stack after
// some thousand levels, and Node 26 has no limit. So this counts levels, and reports an overflow as too many
// levels.
export function jsonWithin(
  value: unknown,
  levels: number,
  replacer?: (key: string, part: unknown) => unknown,
): string | undefined {
  const text = stringifyWithin(value, levels, replacer);
  if (text !== undefined && isTextDeeperThan(text, levels)) throw tooDeep(levels);
  return text;
}

function stringifyWithin(
  value: unknown,
  levels: number,
  replacer?: (key: string, part: unknown) => unknown,
): string | undefined {
  try {
    return JSON.stringify(value, replacer);
  } catch (cause) {
    const isStackOverflow = cause instanceof Error && /call stack|recursion/i.test(cause.message);
    throw isStackOverflow ? tooDeep(levels, cause) : cause;
  }
}

function tooDeep(levels: number, cause?: unknown): RangeError {
  return new RangeError(`The value is nested more than ${levels} levels deep.`, { cause });
}

const QUOTE = 34;
const BACKSLASH = 92;

/** Returns whether JSON text has more than `levels` nested levels. */
function isTextDeeperThan(text: string, levels: number): boolean {
  // Most texts end here: they are too short for so many levels, or have too few brackets.
  if (text.length < 2 * (levels + 1) || !opensMoreThan(text, levels)) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
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
    for (let index = text.indexOf(bracket); index >= 0; index = text.indexOf(bracket, index + 1)) {
      if (left === 0) return true;
      left -= 1;
    }
  return false;
}

/** Returns the index of the quote that ends the string at `start`. Valid JSON has one. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  for (let code = text.charCodeAt(index); code !== QUOTE; code = text.charCodeAt(index))
    index += code === BACKSLASH ? 2 : 1;
  return index;
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
