import type { Pricing, TokenPrices } from "./pricing.ts";

/** Fields of a usage or a request. Any value may be there, because servers send it. */
export interface Fields {
  readonly [field: string]: unknown;
}

/**
 * Returns the prices of a request: multiplied by the factors that apply to its fields. A model client has
 * these as its `pricing`, so that limits on cost plan with them.
 *
 * @example
 * ```ts
 * import { pricingFor } from "@pawl/core/model";
 *
 * const prices = { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 };
 * const pricing = { ...prices, factors: { speed: { fast: 2 } } };
 * console.log(pricingFor(pricing, { speed: "fast" }).output); // 20
 * ```
 */
export function pricingFor(pricing: Pricing, requested: { readonly [field: string]: unknown }): Pricing {
  const factor = factorOf(requested, pricing);
  if (factor === 1) return pricing;
  const { longPrompt } = pricing;
  return {
    ...pricing,
    ...scaled(pricing, factor),
    ...(longPrompt && { longPrompt: { ...longPrompt, ...scaled(longPrompt, factor) } }),
  };
}

function scaled(prices: TokenPrices, factor: number): TokenPrices {
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = prices;
  return {
    input: input * factor,
    output: output * factor,
    cacheRead: cacheRead * factor,
    cacheWrite5m: cacheWrite5m * factor,
    cacheWrite1h: cacheWrite1h * factor,
  };
}

/** Returns the product of the factors that apply to the fields of a usage or request; 1 without any. */
export function factorOf(usage: Fields, { factors }: Pricing): number {
  let all = 1;
  for (const [field, byValue] of Object.entries(factors ?? {})) {
    const value = `${Object.hasOwn(usage, field) ? (usage[field] ?? "") : ""}`;
    if (Object.hasOwn(byValue, value)) all *= byValue[value] ?? 1;
  }
  return all;
}
