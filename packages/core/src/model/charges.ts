import { isJsonObject, type JsonObject } from "../base/json.ts";
import {
  addUsage,
  costUsd,
  isCount,
  noUsage,
  type Pricing,
  type RawUsage,
  type TokenPrices,
  type Usage,
  usageFromWire,
} from "./pricing.ts";

/** Options of `usageCharges()`. */
export interface UsageChargesOptions {
  /** The model's prices. `undefined` if it has none; then only unknown fields are looked for. */
  pricing: Pricing | undefined;
  /**
   * Returns the prices of another model, for the parts of an answer that it wrote (`usage.iterations`).
   * Default: the model's own prices.
   */
  pricingOf?(model: string): Pricing | undefined;
  /**
   * The fields of the request that the factors of the prices are about, e.g. `{ speed: "fast" }`. They count
   * until the server reports another value. The client's `pricing` must include them, see `pricingFor()`.
   * Default: none.
   */
  requested?: { readonly [field: string]: unknown };
  /** The fields of the API's usage that are known, with those of inner objects as `outer.inner`. */
  known: ReadonlySet<string>;
  /** The names of unknown fields that were reported before. Names are added to it. */
  reported: Set<string>;
}

/** The most names of unknown fields that a client reports. */
const MOST_REPORTED = 20;

/**
 * Makes a function that adds to the usage of one answer what the server charges besides tokens at their usual
 * price: uses of the API's own tools, surcharges, e.g. for a region, and work of other models. Call it with
 * each usage that the server sends for the answer, in order. It returns the usage to put into the event, with
 * `price_factor`, `other_usd` and `unknown_fields`.
 *
 * @example
 * ```ts
 * import { usageCharges } from "@pawl/core/model";
 *
 * const prices = { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 };
 * const pricing = { ...prices, perThousandUses: { web_search_requests: 10 } };
 * const charge = usageCharges({ pricing, known: new Set(["server_tool_use"]), reported: new Set() });
 * const usage = { server_tool_use: { web_search_requests: 3 } };
 * console.log(charge(usage).other_usd); // 0.03
 * ```
 */
export function usageCharges(options: UsageChargesOptions): (sent: object) => RawUsage {
  let all: { readonly [field: string]: unknown } = {};
  const unknown: string[] = [];
  return (sent) => {
    // A server may send anything.
    if (!isJsonObject(sent)) return sent as RawUsage;
    const { price_factor: _, other_usd: __, unknown_fields: ___, ...own } = sent as RawUsage;
    const present = Object.entries(own).filter(([, value]) => value !== null && value !== undefined);
    all = { ...all, ...Object.fromEntries(present) };
    unknown.push(...newUnknown(all, options));
    return {
      ...own,
      ...chargesIn(all, options),
      ...(unknown.length > 0 && { unknown_fields: [...unknown] }),
    };
  };
}

function chargesIn(usage: { readonly [field: string]: unknown }, options: UsageChargesOptions): RawUsage {
  const { pricing } = options;
  const whole = withIterations(usage, options);
  if (pricing === undefined) return whole.counts;
  const { requested = {} } = options;
  const all = factorOf({ ...requested, ...usage }, pricing);
  // The prices of the client include the factors of the request.
  const factor = all / factorOf(requested, pricing);
  const other = usesUsd(usage, pricing) + whole.otherUsd * all;
  return {
    ...whole.counts,
    ...(factor !== 1 && { price_factor: factor }),
    // A float of a sum, e.g. 0.30000000000000004, would be stored.
    ...(other !== 0 && { other_usd: Math.round(other * 1e9) / 1e9 }),
  };
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

function factorOf(usage: { readonly [field: string]: unknown }, { factors = {} }: Pricing): number {
  const found = Object.entries(factors).map(([field, byValue]) => {
    const value = `${Object.hasOwn(usage, field) ? usage[field] : ""}`;
    return Object.hasOwn(byValue, value) ? (byValue[value] ?? 1) : 1;
  });
  return found.reduce((all, one) => all * one, 1);
}

function usesUsd(usage: { readonly [field: string]: unknown }, { perThousandUses = {} }: Pricing): number {
  const counts: JsonObject = isJsonObject(usage.server_tool_use) ? usage.server_tool_use : {};
  const costs = Object.entries(perThousandUses).map(([name, price]) => {
    const count = Object.hasOwn(counts, name) ? counts[name] : 0;
    return isCount(count) ? (Math.min(count, 1e6) * price) / 1_000 : 0;
  });
  return costs.reduce((all, one) => all + one, 0);
}

/**
 * Adds the parts of an answer that its totals leave out, e.g. a compaction. `otherUsd` is how much more the
 * parts cost than all tokens together at the model's own prices; it may be negative.
 */
function withIterations(
  usage: { readonly [field: string]: unknown },
  { pricing, pricingOf }: UsageChargesOptions,
): { counts: RawUsage; otherUsd: number } {
  const { iterations } = usage;
  if (!Array.isArray(iterations)) return { counts: {}, otherUsd: 0 };
  const parts = iterations.filter(isJsonObject);
  const used = parts.map((part) => usageFromWire(part as RawUsage));
  const sum = used.reduce(addUsage, noUsage);
  const totals = usageFromWire(usage as RawUsage);
  const rest = { ...noUsage };
  const tokens = { ...noUsage };
  for (const field of Object.keys(noUsage) as (keyof typeof noUsage)[]) {
    rest[field] = Math.max(0, (totals[field] ?? 0) - (sum[field] ?? 0));
    tokens[field] = (sum[field] ?? 0) + rest[field];
  }
  const counts = wireCounts(tokens);
  if (pricing === undefined) return { counts, otherUsd: 0 };
  const costs = parts.map(({ model }, at) => {
    const own = typeof model === "string" ? pricingOf?.(model) : undefined;
    return costUsd(used[at] ?? noUsage, own ?? pricing);
  });
  const cost = costs.reduce((all, one) => all + one, costUsd(rest, pricing));
  return { counts, otherUsd: cost - costUsd(tokens, pricing) };
}

function wireCounts(usage: Usage): RawUsage {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    ...(usage.cacheWrite1hTokens && {
      cache_creation: { ephemeral_1h_input_tokens: usage.cacheWrite1hTokens },
    }),
  };
}

/** Returns the names of unknown fields that were not reported yet. A field without a value has no meaning. */
function newUnknown(
  usage: { readonly [field: string]: unknown },
  { known, reported }: UsageChargesOptions,
): string[] {
  const names = Object.entries(usage).flatMap(([field, value]) => {
    if (!known.has(field)) return [field];
    return isJsonObject(value) ? Object.keys(value).map((inner) => `${field}.${inner}`) : [];
  });
  const fresh = names
    .filter((name) => !known.has(name) && !reported.has(name))
    .slice(0, MOST_REPORTED - reported.size)
    .map((name) => name.slice(0, 100));
  for (const name of fresh) reported.add(name);
  return fresh;
}
