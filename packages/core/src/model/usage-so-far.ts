import { isCount, type Usage, usageFromWire } from "./pricing.ts";
import type { Reply } from "./reply.ts";

/** Fallback for token counts that the server did not send. */
export interface UsageEstimates {
  /** Estimated tokens of the prompt. */
  estimatedTokens: number;
  maxTokens: number;
  estimateTokens(chars: number): number;
}

/**
 * Returns the server's token counts. Estimates missing ones: the prompt's, and the answer's if it broke off.
 * An estimated answer has at most `max_tokens`, because anything beyond is cut.
 */
export function usageSoFar({ usage: raw, finished, chars }: Reply, asked: UsageEstimates): Usage {
  const usage = usageFromWire(raw);
  const prompt = [raw.input_tokens, raw.cache_read_input_tokens, raw.cache_creation_input_tokens];
  if (!prompt.some(isCount)) usage.inputTokens = asked.estimatedTokens;
  if (finished && isCount(raw.output_tokens)) return usage;
  const written = Math.min(asked.estimateTokens(chars), asked.maxTokens);
  return { ...usage, outputTokens: Math.max(usage.outputTokens, written) };
}
