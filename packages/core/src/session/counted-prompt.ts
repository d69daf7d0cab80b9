import { estimateTokens } from "../model/estimate.ts";
import type { CountedPrompt } from "./context-entry.ts";

/** What the API has reported for a prompt. */
type Counted = Pick<CountedPrompt, "model" | "chars" | "tokens">;

/** The fewest and the most tokens of a character, whatever an API reports. */
const [FEWEST, MOST] = [1 / 16, 4];

/** How many characters a prompt must have grown by, so that its growth says how long their tokens are. */
const ENOUGH_CHARS = 200;

/**
 * Returns what the next prompt is estimated from, after the API has counted one more. A text that was added
 * in a script with more tokens for each character sets the rate for what is added next.
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
 * Estimates the tokens of a prompt. What the API has counted before counts as it did; what was added since,
 * by the rate of the last addition. For another model, the estimate is at least a quarter of the characters.
 * An agent's own `estimate` is used as it is.
 */
export function estimatedPrompt(
  counted: CountedPrompt | undefined,
  { model, chars }: Pick<CountedPrompt, "model" | "chars">,
  estimate: Estimate,
): number {
  if (counted === undefined || estimate !== estimateTokens) return estimate(chars);
  const added = chars - counted.chars;
  // A checkpoint may have shortened the prompt. What is left is taken for as dense as the whole was.
  const learned =
    added < 0 ? (counted.tokens / counted.chars) * chars : counted.tokens + counted.rate * added;
  return Math.ceil(counted.model === model ? learned : Math.max(estimate(chars), learned));
}

/** Estimates the tokens of a part of a prompt, of `chars` characters. */
export function estimatedPart(counted: CountedPrompt | undefined, chars: number, estimate: Estimate): number {
  if (counted === undefined || estimate !== estimateTokens) return estimate(chars);
  return Math.ceil((counted.tokens / counted.chars) * chars);
}

/** Estimates how many tokens a number of characters is, without an earlier count. */
type Estimate = (chars: number) => number;
