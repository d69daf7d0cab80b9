import { isCount, type Usage, usageFromWire } from "./pricing.ts";
import type { Reply } from "./reply.ts";

/** Estimates for token counts that the server did not send. */
export interface UsageEstimates {
  /** Estimated tokens of the prompt. */
  estimatedTokens: number;
  /** The most tokens that the answer may have. */
  maxTokens: number;
  /** Estimates how many tokens a number of characters is. */
  estimateTokens(chars: number): number;
}

/**
 * Returns an answer's token counts as the server sent them. Estimates the prompt's count if it is missing.
 * Estimates the answer's count, too, if it is missing or the answer broke off. That estimate is at most
 * `maxTokens`, because longer answers are cut.
 */
export function usageSoFar({ usage: raw, finished, chars }: Reply, estimates: UsageEstimates): Usage {
  const usage = usageFromWire(raw);
  const promptCounts = [raw.input_tokens, raw.cache_read_input_tokens, raw.cache_creation_input_tokens];
  if (!promptCounts.some(isCount)) usage.inputTokens = estimates.estimatedTokens;
  if (finished && isCount(raw.output_tokens)) return usage;
  const estimate = Math.min(estimates.estimateTokens(chars), estimates.maxTokens);
  return { ...usage, outputTokens: Math.max(usage.outputTokens, estimate) };
}
