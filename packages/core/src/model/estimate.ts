/** The factor by which a token may be longer than estimated. */
const SLACK = 2;

/** The number of tokens allowed beyond `max_tokens`, because a short answer may be one long word. */
const MARGIN = 32;

/**
 * The number of characters that each block of an answer counts in addition to its text. So an endless answer
 * of empty blocks reaches {@link longestAnswer} and is cut, too.
 */
export const BLOCK_CHARS = 4;

/**
 * The number of characters that an answer may have besides those that `max_tokens` counts, as JSON. This is
 * enough for what the tools of a server find, e.g. long pages.
 */
export const BESIDES = 4_000_000;

/**
 * Returns how many characters an answer of `maxTokens` may have before it is cut. A server that honours
 * `max_tokens` stays below this.
 *
 * @param estimate estimates the tokens of a number of characters. Default: a quarter of the characters.
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
  const chars = 4 * tokens;
  // If the estimate is 0, a token counts as four characters.
  const charsPerToken = chars / (estimate(chars) || tokens);
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

/** Estimates tokens: characters divided by four, rounded up. */
export function estimateTokens(chars: number): number {
  return Math.ceil(chars / 4);
}
