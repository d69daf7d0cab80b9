import type { Json } from "../base/json.ts";

/**
 * Parses the beginning of a JSON text, e.g. of an object that a model is writing. A text, a list or an object
 * that is cut off has its part so far. A number, keyword, key or escape that may go on is left out. Returns
 * `undefined` if there is no value yet.
 *
 * @example
 * ```ts
 * import { partialJson } from "@pawl/core/view";
 *
 * console.log(partialJson('{"city":"Os')); // { city: 'Os' }
 * console.log(partialJson('{"city":"Oslo","celsius":1')); // { city: 'Oslo' }
 * ```
 */
export function partialJson(text: string): Json | undefined {
  // The text up to a place where it may be cut, with what closes the open lists and objects there.
  const parts: string[] = [];
  let open = "";
  for (const { 0: token, 1: closing, index } of text.matchAll(TOKEN)) {
    const end = index + token.length;
    open = openAfter(open, token);
    if (open.length > DEEPEST_PART) return undefined;
    const isCut = token[0] === '"' && closing !== '"';
    const kept = isCut ? `${token.replace(CUT_ESCAPE, "$1")}"` : token === "," ? "" : token;
    // After the last complete value there are at most a comma, a key and a colon.
    if (parts.push(text.slice(0, end - token.length) + kept + open) > 4) parts.shift();
  }
  for (const part of [text, ...parts.reverse()])
    try {
      return JSON.parse(part) as Json;
    } catch {}
  return undefined;
}

/** Returns what closes the open lists and objects after a token. */
function openAfter(open: string, token: string): string {
  if (token === "{") return `}${open}`;
  if (token === "[") return `]${open}`;
  return token === "}" || token === "]" ? open.slice(1) : open;
}

const DEEPEST_PART = 200;

/** A string, which may be cut off, a bracket or a comma. */
const TOKEN = /"(?:[^"\\]+|\\[\s\S]?)*("|$)|[{}[\],]/g;

/** An escape, or half a surrogate pair, that is cut off at the end. */
const CUT_ESCAPE =
  /((?:^|[^\\])(?:\\\\)*)(?:\\u[dD][89abAB][\da-fA-F]{2})?(?:\\(?:u[\da-fA-F]{0,3})?)?[\ud800-\udbff]?$/;
