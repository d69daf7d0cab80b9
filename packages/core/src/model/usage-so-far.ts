import { isCount, type Usage, usageFromWire } from "./pricing.ts";
import type { Reply } from "./reply.ts";

/** Estimates for token counts that the server did not send. */
export interface UsageEstimates {
  /** Estimated tokens of the prompt. */
  estimatedTokens: number;
  maxTokens: number;
  estimateTokens(chars: number): number;
}

/**
 * Returns an answer's token counts as the server sent them. Estimates the prompt's count if it is missing,
 * and the answer's if it is missing or the answer broke off. An estimate for the answer is at most
 * `maxTokens`, because longer answers are cut.
 */
export function usageSoFar({ usage: raw, finished, chars }: Reply, asked: UsageEstimates): Usage {
  const usage = usageFromWire(raw);
  const prompt = [raw.input_tokens, raw.cache_read_input_tokens, raw.cache_creation_input_tokens];
  if (!prompt.some(isCount)) usage.inputTokens = asked.estimatedTokens;
  if (finished && isCount(raw.output_tokens)) return usage;
  const written = Math.min(asked.estimateTokens(chars), asked.maxTokens);
  return { ...usage, outputTokens: Math.max(usage.outputTokens, written) };
}
