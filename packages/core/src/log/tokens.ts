import { promptTokens, type Usage } from "../model/pricing.ts";
import type { EventData, TokenUsage } from "./event-data.ts";

/** The tokens and cost that a sub-agent has used for a call, as the log stores them. */
export type Spent = NonNullable<EventData["tool_result"]["spent"]>;

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
