import { estimateTokens } from "../model/estimate.ts";
import type { CountedPrompt } from "./context-entry.ts";

/** A prompt whose tokens the API has counted. */
type Counted = Pick<CountedPrompt, "model" | "chars" | "tokens">;

/** The fewest and the most tokens of a character, whatever an API reports. */
const [FEWEST, MOST] = [1 / 16, 4];

/** The fewest characters that a prompt must have grown by for the rate of the added text to be measured. */
const ENOUGH_CHARS = 200;

/**
 * Returns the basis for the estimate of the next prompt, after the API has counted `now`. Its `rate` is that
 * of the added text if this text has more tokens for each character than the whole prompt, e.g. Chinese.
 */
export function countedPrompt(last: CountedPrompt | undefined, now: Counted): CountedPrompt | undefined {
  if (!(now.chars > 0 && now.tokens > 0)) return last;
  const average = bounded(now.tokens / now.chars);
  const counted = { ...now, tokens: average * now.chars };
  const grownBy = last?.model === now.model ? now.chars - last.chars : 0;
  if (last === undefined || grownBy < ENOUGH_CHARS) return { ...counted, rate: average };
  return { ...counted, rate: Math.max(average, bounded((counted.tokens - last.tokens) / grownBy)) };
}

function bounded(rate: number): number {
  return Math.min(MOST, Math.max(FEWEST, rate));
}

/**
 * Estimates the tokens of a prompt: the API's last count, plus the characters that were added since then, at
 * the rate of the last addition. For another model, the estimate is at least a quarter of the characters. If
 * the agent has its own `estimate`, only that is used.
 */
export function estimatedPrompt(
  counted: CountedPrompt | undefined,
  { model, chars }: Pick<CountedPrompt, "model" | "chars">,
  estimate: Estimate,
): number {
  if (counted === undefined || estimate !== estimateTokens) return estimate(chars);
  const added = chars - counted.chars;
  // A checkpoint may have shortened the prompt. The rest is taken to have the average rate of the whole.
  const learned =
    added < 0 ? (counted.tokens / counted.chars) * chars : counted.tokens + counted.rate * added;
  return Math.ceil(counted.model === model ? learned : Math.max(estimate(chars), learned));
}

/** Estimates the tokens of a part of a prompt, of `chars` characters. */
export function estimatedPart(counted: CountedPrompt | undefined, chars: number, estimate: Estimate): number {
  if (counted === undefined || estimate !== estimateTokens) return estimate(chars);
  return Math.ceil((counted.tokens / counted.chars) * chars);
}

/** Estimates the tokens of a number of characters, without an earlier count. */
type Estimate = (chars: number) => number;
