/** The factor by which an answer may be longer than estimated before it is cut. */
const SLACK = 2;

/** Tokens that are added to `max_tokens`. Without them, a short answer of one long word would be cut. */
const MARGIN = 32;

/**
 * The number of characters that each block adds to an answer's count, besides its text. With them, even an
 * endless answer of empty blocks reaches {@link longestAnswer} and is cut.
 */
export const BLOCK_CHARS = 4;

/**
 * The number of characters, as JSON, that an answer may have in parts that `max_tokens` does not count. It
 * leaves room for the results of the API's own tools, e.g. long web pages.
 */
export const UNCOUNTED_CHARS = 4_000_000;

/**
 * Returns how many characters an answer of `maxTokens` may have before it is cut. A server that honours
 * `max_tokens` stays below this.
 *
 * @param estimate estimates how many tokens a number of characters is. Default: a quarter of the characters.
 *
 * @example
 * ```ts
 * import { longestAnswer } from "@pawl/core/model";
 *
 * console.log(longestAnswer(1000)); // 8256
 * ```
 */
export function longestAnswer(
  maxTokens: number,
  estimate: (chars: number) => number = estimateTokens,
): number {
  const tokens = maxTokens + MARGIN;
  const sampleChars = 4 * tokens;
  // If the estimate is 0, a token counts as four characters.
  const charsPerToken = sampleChars / (estimate(sampleChars) || tokens);
  return Math.ceil(SLACK * tokens * charsPerToken);
}

/**
 * Returns the length of a piece of JSON in characters. An escape such as `\u043f` counts as two characters
 * instead of six: some servers escape every non-ASCII character, and a whole escaped word may be one token.
 *
 * @example
 * ```ts
 * import { writtenLength } from "@pawl/core/model";
 *
 * console.log(writtenLength('{"a":"b"}')); // 9
 * console.log(writtenLength("\\u043f\\u0440")); // 4
 * ```
 */
export function writtenLength(json: string): number {
  if (!json.includes("\\u")) return json.length;
  return json.length - 4 * (json.match(/\\u[0-9a-f]{4}/gi)?.length ?? 0);
}

/** Estimates how many tokens a number of characters is: a quarter of it, rounded up. */
export function estimateTokens(chars: number): number {
  return Math.ceil(chars / 4);
}
