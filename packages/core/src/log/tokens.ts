import { promptTokens, type Usage } from "../model/pricing.ts";
import type { EventData, TokenUsage } from "./event.ts";

/** What an agent has used up for a call, as the log stores it. */
export type Spent = NonNullable<EventData["tool_result"]["spent"]>;

/** A usage as the log stores it. */
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

/** The other way round. */
export function usageOf(tokens: TokenUsage): Usage {
  return {
    inputTokens: tokens.prompt,
    outputTokens: tokens.completion,
    cacheReadTokens: tokens.cached,
    cacheWriteTokens: tokens.cache_write,
    cacheWrite1hTokens: tokens.cache_write_1h,
  };
}
