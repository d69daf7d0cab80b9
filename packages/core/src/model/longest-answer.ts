import { estimateTokens as byCharacters } from "../context/build-request.ts";

/** Real tokens may be so many times as long as the estimate takes them for. */
const SLACK = 2;

/** Tokens on top of `max_tokens`: a short answer may be one long word. */
const MARGIN = 32;

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
