import type { EventData, TokenUsage } from "../events/event.ts";
import type { RawUsage } from "../model/model-client.ts";
import type { Usage } from "../model/pricing.ts";
import { promptTokens } from "../model/pricing.ts";

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

/** A usage from the wire. Later numbers replace earlier ones, they are totals. */
export function usageFromWire(raw: RawUsage): Usage {
  return {
    inputTokens: raw.input_tokens ?? 0,
    outputTokens: raw.output_tokens ?? 0,
    cacheReadTokens: raw.cache_read_input_tokens ?? 0,
    cacheWriteTokens: raw.cache_creation_input_tokens ?? 0,
    cacheWrite1hTokens: raw.cache_creation?.ephemeral_1h_input_tokens ?? 0,
  };
}
