import { addUsd } from "../base/usd.ts";
import type { TokenUsage } from "../log/event.ts";

/** Tokens and cost. */
export interface Spending {
  tokens: TokenUsage;
  /** The charged cost, in US dollars. */
  costUsd: number;
}

/** Zero tokens. */
export const noTokens: TokenUsage = {
  prompt: 0,
  completion: 0,
  cached: 0,
  cache_write: 0,
  cache_write_1h: 0,
  total: 0,
};

/** Nothing spent. */
export const nothing: Spending = { tokens: noTokens, costUsd: 0 };

/** Adds up several spendings. */
export function sumOf(spendings: readonly Spending[]): Spending {
  return spendings.reduce(
    (sum, { tokens, costUsd }) => ({
      tokens: added(sum.tokens, tokens),
      costUsd: addUsd(sum.costUsd, costUsd),
    }),
    nothing,
  );
}

/**
 * Returns the cache hit rate: the share of prompt tokens that were read from the cache, from 0 to 1.
 * `undefined` if no prompt was sent.
 */
export function hitRateOf({ prompt, cached, cache_write }: TokenUsage): number | undefined {
  const sent = prompt + cached + cache_write;
  return sent === 0 ? undefined : cached / sent;
}

function added(a: TokenUsage, b: TokenUsage): TokenUsage {
  const sum = { ...noTokens };
  for (const one of Object.keys(noTokens) as (keyof TokenUsage)[]) sum[one] = a[one] + b[one];
  return sum;
}
