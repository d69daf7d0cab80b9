import { checkNumbers } from "../base/check-numbers.ts";
import { kindOf } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import { usdFromMicros } from "../base/usd.ts";

/** Token counts of one model call, as the Messages API counts them. */
export interface Usage {
  /** Prompt tokens without those read from or written to the cache. */
  inputTokens: number;
  /** Tokens of the answer, including thinking. */
  outputTokens: number;
  /** Prompt tokens read from the cache. */
  cacheReadTokens: number;
  /** Prompt tokens written to the cache. */
  cacheWriteTokens: number;
  /** The part of `cacheWriteTokens` with a lifetime of an hour instead of five minutes. */
  cacheWrite1hTokens?: number;
  /** A factor for the price of all tokens, e.g. 1.1 for a region. Sums of usages leave it out. Default: 1. */
  priceFactor?: number;
  /** Cost in US dollars beside the tokens, e.g. of web searches. Sums of usages leave it out. Default: 0. */
  otherUsd?: number;
}

/**
 * Prices in US dollars per million tokens. Cache reads and writes have separate prices, which are not a fixed
 * fraction of the input price.
 */
export interface TokenPrices {
  /** Prompt tokens that are not cached. */
  input: number;
  /** Tokens of the answer, including thinking. */
  output: number;
  /** Tokens read from the cache. */
  cacheRead: number;
  /** Tokens written to the cache for five minutes. */
  cacheWrite5m: number;
  /** Tokens written to the cache for an hour. */
  cacheWrite1h: number;
}

/** The prices of a model: of tokens, in US dollars per million, and of what else its API charges. */
export interface Pricing extends TokenPrices {
  /** Prices of a call whose prompt (input, cache reads and cache writes) is longer than `above` tokens. */
  longPrompt?: TokenPrices & { above: number };
  /**
   * Prices of the API's own tools in US dollars per thousand uses, by the name of their count in
   * `usage.server_tool_use`, e.g. `{ web_search_requests: 10 }`. Default: the prices that the client knows.
   */
  perThousandUses?: { readonly [count: string]: number };
  /**
   * Factors for the prices of tokens, by a field of the usage and its value, e.g. `{ speed: { fast: 2 } }`.
   * Several factors are multiplied. Default: the factors that the client knows.
   */
  factors?: { readonly [field: string]: { readonly [value: string]: number } };
}

/**
 * Checks that all prices are numbers from 0 to a million.
 *
 * @param whose owner of the prices, for the message, e.g. `the model of "coach"`
 * @throws PawlError `config` if prices are missing (all are named), or a price is not such a number
 *
 * @example
 * ```ts
 * import { checkPricing } from "@pawl/core";
 *
 * const pricing = { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 };
 * checkPricing("my model", pricing); // does nothing
 * try {
 *   checkPricing("my model", { ...pricing, output: -1 });
 * } catch (error) {
 *   console.log(error); // PawlError: …, with the code `config`
 * }
 * ```
 */
// With a price that is not a number, no cost limit would ever be reached, and totals would become `NaN`.
export function checkPricing(whose: string, pricing: Pricing | undefined): void {
  for (const prices of [pricing, pricing?.longPrompt]) {
    if (prices === undefined) continue;
    const group = prices === pricing ? "pricing" : "pricing.longPrompt";
    if (typeof prices !== "object" || prices === null)
      throw new PawlError(
        "config",
        `${group} of ${whose} must be an object of prices; got ${kindOf(prices)}.`,
      );
    const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = prices;
    const named = Object.entries({ input, output, cacheRead, cacheWrite5m, cacheWrite1h });
    const missing = named.filter(([, price]) => price === undefined).map(([name]) => name);
    if (missing.length > 0)
      throw new PawlError(
        "config",
        `${group} of ${whose} needs ${quotedList(missing)} too, in US dollars per million tokens.`,
      );
    checkPriceList(whose, group, Object.fromEntries(named));
  }
  const { perThousandUses, factors } = pricing ?? {};
  for (const [group, prices] of Object.entries({ perThousandUses, ...factors }))
    checkPriceList(whose, `pricing.${group}`, prices ?? {});
}

function checkPriceList(whose: string, group: string, prices: { readonly [name: string]: unknown }): void {
  const numbers = Object.entries(prices).map(([name, price]) => [`${group}.${name}`, price as number]);
  checkNumbers(whose, Object.fromEntries(numbers), { most: 1_000_000 });
}

/** Joins names for a sentence, e.g. "`a`, `b` and `c`". */
function quotedList(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return [quoted.slice(0, -1).join(", "), ...quoted.slice(-1)].filter(Boolean).join(" and ");
}

/**
 * Returns the number of prompt tokens: uncached, read from the cache, and written to it.
 *
 * @example
 * ```ts
 * import { promptTokens } from "@pawl/core";
 *
 * const usage = { inputTokens: 100, outputTokens: 50, cacheReadTokens: 1_000, cacheWriteTokens: 20 };
 * console.log(promptTokens(usage)); // 1120
 * ```
 */
export function promptTokens(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/**
 * Returns the cost of one answer in US dollars, to the nearest billionth of a dollar. Cache writes of unknown
 * lifetime are priced as five-minute writes. Includes `priceFactor` and `otherUsd` of the usage.
 *
 * @example
 * ```ts
 * import { costUsd } from "@pawl/core";
 *
 * const pricing = { input: 2, output: 10, cacheRead: 0.1, cacheWrite5m: 2.5, cacheWrite1h: 4 };
 * const usage = { inputTokens: 100, outputTokens: 50, cacheReadTokens: 1000, cacheWriteTokens: 0 };
 * console.log(costUsd(usage, pricing)); // (100 × 2 + 50 × 10 + 1000 × 0.1) / 1,000,000 = 0.0008
 * ```
 */
export function costUsd(usage: Usage, pricing: Pricing): number {
  const long = pricing.longPrompt;
  const price = long !== undefined && promptTokens(usage) > long.above ? long : pricing;
  const write1h = Math.min(usage.cacheWrite1hTokens ?? 0, usage.cacheWriteTokens);
  // Dollars per million tokens are millionths of a dollar per token.
  const micros =
    usage.inputTokens * price.input +
    usage.outputTokens * price.output +
    usage.cacheReadTokens * price.cacheRead +
    (usage.cacheWriteTokens - write1h) * price.cacheWrite5m +
    write1h * price.cacheWrite1h;
  const { priceFactor = 1, otherUsd = 0 } = usage;
  return usdFromMicros(Math.max(0, micros * priceFactor + otherUsd * 1e6));
}

/** A usage of 0 tokens. */
export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
};

/**
 * Adds two usages, count by count.
 *
 * @example
 * ```ts
 * import { addUsage, noUsage } from "@pawl/core/model";
 *
 * const usage = { inputTokens: 100, outputTokens: 50, cacheReadTokens: 1_000, cacheWriteTokens: 0 };
 * console.log([usage, usage].reduce(addUsage, noUsage).outputTokens); // 100
 * ```
 */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum = { ...noUsage };
  for (const field of usageFields) sum[field] = (a[field] ?? 0) + (b[field] ?? 0);
  return sum;
}

const usageFields = Object.keys(noUsage) as (keyof Usage)[];

/**
 * Returns cache reads as a share of all prompt tokens, 0 to 1; 0 for an empty prompt.
 *
 * @example
 * ```ts
 * import { cacheHitRate } from "@pawl/core/inspect";
 *
 * const usage = { inputTokens: 100, outputTokens: 50, cacheReadTokens: 900, cacheWriteTokens: 0 };
 * console.log(cacheHitRate(usage)); // 0.9
 * ```
 */
export function cacheHitRate(usage: Usage): number {
  const prompt = promptTokens(usage);
  return prompt === 0 ? 0 : usage.cacheReadTokens / prompt;
}

/**
 * Token counts as the Messages API sends them. Every count of a `message_delta` is a total so far, which
 * replaces the earlier count.
 */
export interface RawUsage {
  input_tokens?: number | null;
  output_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  cache_read_input_tokens?: number | null;
  cache_creation?: { ephemeral_5m_input_tokens?: number; ephemeral_1h_input_tokens?: number } | null;
  /** See `Usage.priceFactor`. Computed by the client, never by the server. */
  price_factor?: number;
  /** See `Usage.otherUsd`. Computed by the client, never by the server. */
  other_usd?: number;
  /** Fields of the server's usage that the client does not know. The runtime reports them. */
  unknown_fields?: string[];
}

/**
 * Converts token counts of the Messages API to a `Usage`, in whole tokens up to a billion. A missing,
 * negative or non-numeric count becomes 0.
 *
 * @example
 * ```ts
 * import { usageFromWire } from "@pawl/core/model";
 *
 * console.log(usageFromWire({ input_tokens: 12, output_tokens: null }).inputTokens); // 12
 * ```
 */
export function usageFromWire(raw: RawUsage): Usage {
  return {
    inputTokens: validCount(raw.input_tokens),
    outputTokens: validCount(raw.output_tokens),
    cacheReadTokens: validCount(raw.cache_read_input_tokens),
    cacheWriteTokens: validCount(raw.cache_creation_input_tokens),
    cacheWrite1hTokens: validCount(raw.cache_creation?.ephemeral_1h_input_tokens),
    ...(Number.isFinite(raw.price_factor) && { priceFactor: raw.price_factor }),
    ...(Number.isFinite(raw.other_usd) && { otherUsd: raw.other_usd }),
  } as Usage;
}

/** Returns a count in whole tokens, at most {@link MOST_TOKENS}; 0 for an invalid one. */
function validCount(value: unknown): number {
  return isCount(value) ? Math.min(Math.ceil(value), MOST_TOKENS) : 0;
}

/** Returns whether a value is a valid token count: a number that is not negative. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

/**
 * The largest token count that is accepted; larger ones become this. No answer has as many tokens. Totals of
 * billions of such answers still fit into a number of a database.
 */
export const MOST_TOKENS = 1_000_000_000;
