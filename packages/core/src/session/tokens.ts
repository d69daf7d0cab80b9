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

/**
 * Reads usage from the wire, in whole tokens up to a billion. A missing, negative or non-numeric count is 0.
 * Limits and totals are based on it.
 *
 * @example
 * ```ts
 * import { usageFromWire } from "@pawl/core";
 *
 * console.log(usageFromWire({ input_tokens: 12, output_tokens: null }).inputTokens); // 12
 * ```
 */
export function usageFromWire(raw: RawUsage): Usage {
  return {
    inputTokens: count(raw.input_tokens),
    outputTokens: count(raw.output_tokens),
    cacheReadTokens: count(raw.cache_read_input_tokens),
    cacheWriteTokens: count(raw.cache_creation_input_tokens),
    cacheWrite1hTokens: count(raw.cache_creation?.ephemeral_1h_input_tokens),
  };
}

function count(value: unknown): number {
  return isCount(value) ? Math.min(Math.ceil(value), MOST_TOKENS) : 0;
}

/** Whether a server sent a count. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

/** No answer has more tokens, and a database's totals can hold billions of such answers. */
export const MOST_TOKENS = 1_000_000_000;
