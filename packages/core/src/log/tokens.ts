import { promptTokens, type Usage } from "../model/pricing.ts";

/**
 * Token counts as the log stores them.
 *
 * - `prompt`: prompt tokens that were neither read from nor written to the cache
 * - `completion`: tokens of the answer, including thinking
 * - `cached`: prompt tokens read from the cache
 * - `cache_write`: prompt tokens written to the cache, for any lifetime
 * - `cache_write_1h`: the part of `cache_write` with a lifetime of an hour
 * - `total`: the sum of `prompt`, `completion`, `cached` and `cache_write`
 */
export interface TokenUsage {
  prompt: number;
  completion: number;
  cached: number;
  cache_write: number;
  cache_write_1h: number;
  total: number;
}

/** Tokens and cost, e.g. of a call's sub-agent or of a model that a hook asked, as the log stores them. */
export interface Spent {
  tokens: TokenUsage;
  cost_cents: number;
}

/** Converts a `Usage` to token counts in the form of the log. */
export function tokensOf(usage: Usage): TokenUsage {
  return {
    prompt: usage.inputTokens,
    completion: usage.outputTokens,
    cached: usage.cacheReadTokens,
    cache_write: usage.cacheWriteTokens,
    cache_write_1h: usage.cacheWrite1hTokens ?? 0,
    total: promptTokens(usage) + usage.outputTokens,
  };
}

/** Converts token counts in the form of the log to a `Usage`. */
export function usageOf(tokens: TokenUsage): Usage {
  return {
    inputTokens: tokens.prompt,
    outputTokens: tokens.completion,
    cacheReadTokens: tokens.cached,
    cacheWriteTokens: tokens.cache_write,
    cacheWrite1hTokens: tokens.cache_write_1h,
  };
}
