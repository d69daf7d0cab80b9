import { checkOptions, type Pricing } from "@pawl/core";
import type { TokenPrices } from "@pawl/core/model";

const opus: TokenPrices = { input: 5, output: 25, cacheWrite5m: 6.25, cacheWrite1h: 10, cacheRead: 0.5 };
const fable: TokenPrices = { input: 8, output: 40, cacheWrite5m: 10, cacheWrite1h: 16, cacheRead: 0.2 };
const fable51: TokenPrices = { input: 10, output: 50, cacheWrite5m: 12.5, cacheWrite1h: 20, cacheRead: 0.25 };
const sonnet4: TokenPrices = { input: 3, output: 15, cacheWrite5m: 3.75, cacheWrite1h: 6, cacheRead: 0.3 };

/**
 * List prices in US dollars per million tokens, as of 2026-11-20, for standard speed and without regional
 * surcharge.
 */
const prices: { readonly [model: string]: Pricing } = {
  "claude-fable-5-2": fable,
  "claude-mythos-5-2": fable,
  "claude-fable-5-1": fable51,
  "claude-opus-5-5": { input: 4, output: 20, cacheWrite5m: 5, cacheWrite1h: 8, cacheRead: 0.2 },
  "claude-sonnet-5-5": { input: 2, output: 10, cacheWrite5m: 2.5, cacheWrite1h: 4, cacheRead: 0.1 },
  "claude-haiku-5-5": {
    input: 0.1,
    output: 0.5,
    cacheWrite5m: 0.125,
    cacheWrite1h: 0.2,
    cacheRead: 0.01,
    longPrompt: {
      above: 100_000,
      input: 0.5,
      output: 2.5,
      cacheWrite5m: 0.625,
      cacheWrite1h: 1,
      cacheRead: 0.05,
    },
  },
  "claude-opus-5": opus,
  "claude-opus-4-8": opus,
  "claude-opus-4-7": opus,
  "claude-opus-4-6": opus,
  "claude-opus-4-5": opus,
  "claude-fable-5": { ...fable51, cacheRead: 1 },
  "claude-sonnet-5": { input: 2, output: 10, cacheWrite5m: 2.5, cacheWrite1h: 4, cacheRead: 0.2 },
  "claude-sonnet-4-6": sonnet4,
  "claude-sonnet-4-5": sonnet4,
  "claude-haiku-4-5": { input: 1, output: 5, cacheWrite5m: 1.25, cacheWrite1h: 2, cacheRead: 0.1 },
};

/**
 * Returns the list prices of a Claude model as of 2026-11-20, or `undefined` for an unknown model. A dated id
 * (`claude-haiku-4-5-20251001`) has the prices of the id without the date. Prices change: if money depends on
 * them, pass your own as `pricing` to `claude()`.
 *
 * @returns US dollars per million tokens
 *
 * @example
 * ```ts
 * import { pricingOf } from "@pawl/anthropic";
 *
 * console.log(pricingOf("claude-sonnet-5-5")?.output); // 10
 * ```
 */
export function pricingOf(model: string): Pricing | undefined {
  checkOptions("pricingOf()", { model }, { model: "string!" });
  const name = Object.hasOwn(prices, model) ? model : model.replace(/-\d{8}$/, "");
  return Object.hasOwn(prices, name) ? prices[name] : undefined;
}

/**
 * What the API charges beside the tokens of a model, as of 2026-11-29: 10 $ for 1,000 web searches (failed
 * ones are free), a tenth more for answers in the US only, and twice the price for fast ones.
 */
// platform.claude.com: /docs/en/about-claude/pricing, /docs/en/build-with-claude/fast-mode. Web fetches and
// code execution beside them cost nothing but their tokens.
// - `us`: 1.1 for Opus 4.6 and newer models. Older ones report no region.
// - `fast`: 2 is confirmed for Opus 5 and, by third-party lists, for Opus 5.5. No list was found that has
//   Fable 5.2, Mythos 5.2 or Opus 4.8; they count as the others. Opus 4.6 cost 6 times the price, but has no
//   fast mode any more. Other models have none.
const SURCHARGES = {
  perThousandUses: { web_search_requests: 10 },
  factors: { inference_geo: { us: 1.1 }, speed: { fast: 2 } },
};

/** Adds to prices what the API charges besides, unless they have their own values for it. */
export function withSurcharges(pricing: Pricing): Pricing {
  return { ...SURCHARGES, ...pricing };
}
