import { estimateTokens as byCharacters } from "../context/build-request.ts";

/** Real tokens may be so many times as long as the estimate takes them for. */
const SLACK = 2;

/** Tokens on top of `max_tokens`: a short answer may be one long word. */
const MARGIN = 32;

/** No block is free, also an empty one: there could be any number of them. */
export const BLOCK_CHARS = 4;

/**
 * How many characters an answer of `maxTokens` may have before it is cut. A server that keeps to `max_tokens` writes
 * fewer; one that ignores it is stopped here.
 *
 * @param estimateTokens the agent's estimate; a quarter of the characters when absent
 *
 * @example
 * ```ts
 * import { longestAnswer } from "@pawl/core";
 *
 * console.log(longestAnswer(1000)); // 8256
 * ```
 */
export function longestAnswer(
  maxTokens: number,
  estimateTokens: (chars: number) => number = byCharacters,
): number {
  const tokens = maxTokens + MARGIN;
  const chars = 4 * tokens;
  // An estimate of nothing says nothing about lengths.
  const charsPerToken = chars / (estimateTokens(chars) || tokens);
  return Math.ceil(SLACK * tokens * charsPerToken);
}

/**
 * How many characters a piece of JSON counts for. Servers may write every character beyond ASCII as six (`\u043f`), and
 * a word of many of them is one token all the same: such an escape counts for two.
 *
 * @example
 * ```ts
 * import { writtenLength } from "@pawl/core";
 *
 * console.log(writtenLength('{"a":"b"}')); // 9
 * console.log(writtenLength("\\u043f\\u0440")); // 4
 * ```
 */
export function writtenLength(json: string): number {
  if (!json.includes("\\u")) return json.length;
  return json.length - 4 * (json.match(/\\u[0-9a-f]{4}/gi)?.length ?? 0);
}
