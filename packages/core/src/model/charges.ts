import { isJsonObject } from "../base/json.ts";
import { type Fields, factorOf } from "./price-factors.ts";
import {
  addUsage,
  costUsd,
  isCount,
  noUsage,
  type Pricing,
  type RawUsage,
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
  const { pricing, requested = {} } = options;
  // The prices of the client include the factors of the request.
  const included = pricing === undefined ? 1 : factorOf(requested, pricing);
  let all: Fields = requested;
  let unknown: readonly string[] = [];
  return (sent) => {
    // A server may send anything.
    if (!isJsonObject(sent)) return sent as RawUsage;
    const own = CHARGES.some((name) => Object.hasOwn(sent, name)) ? without(sent, CHARGES) : sent;
    const lost = Object.keys(own).filter((name) => hasNoValue(own, name) && !hasNoValue(all, name));
    all = { ...all, ...(lost.length > 0 ? without(own, lost) : own) };
    const fresh = newUnknown(own, options);
    if (fresh.length > 0) unknown = [...unknown, ...fresh];
    const charges = chargesIn(all, options, included);
    // Nearly every usage has nothing to add.
    if (charges === NO_COUNTS && unknown.length === 0) return own as RawUsage;
    return { ...own, ...charges, ...(unknown.length > 0 && { unknown_fields: [...unknown] }) };
  };
}

/** The fields that only a client sets. */
const CHARGES: readonly string[] = ["price_factor", "other_usd", "unknown_fields"];

function hasNoValue(usage: Fields, name: string): boolean {
  return !Object.hasOwn(usage, name) || usage[name] === null || usage[name] === undefined;
}

function without(usage: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(usage).filter(([name]) => !names.includes(name)));
}

function chargesIn(usage: Fields, options: UsageChargesOptions, included: number): RawUsage {
  const { pricing } = options;
  const whole = withIterations(usage, options);
  if (pricing === undefined) return whole.counts;
  const all = factorOf(usage, pricing);
  const factor = all / included;
  const other = usesUsd(usage, pricing) + whole.otherUsd * all;
  if (factor === 1 && other === 0) return whole.counts;
  return {
    ...whole.counts,
    ...(factor !== 1 && { price_factor: factor }),
    // A float of a sum, e.g. 0.30000000000000004, would be stored.
    ...(other !== 0 && { other_usd: Math.round(other * 1e9) / 1e9 }),
  };
}

function usesUsd({ server_tool_use: counts }: Fields, { perThousandUses }: Pricing): number {
  if (!isJsonObject(counts)) return 0;
  let usd = 0;
  for (const [name, price] of Object.entries(perThousandUses ?? {})) {
    const count = Object.hasOwn(counts, name) ? counts[name] : 0;
    if (isCount(count)) usd += (Math.min(count, 1e6) * price) / 1_000;
  }
  return usd;
}

const NO_COUNTS: RawUsage = {};
const NO_ITERATIONS = { counts: NO_COUNTS, otherUsd: 0 };

/**
 * Adds the parts of an answer that its totals leave out, e.g. a compaction. `otherUsd` is how much more the
 * parts cost than all tokens together at the model's own prices; it may be negative.
 */
function withIterations(
  usage: Fields,
  { pricing, pricingOf }: UsageChargesOptions,
): { counts: RawUsage; otherUsd: number } {
  const { iterations } = usage;
  if (!Array.isArray(iterations)) return NO_ITERATIONS;
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
function newUnknown(usage: Fields, { known, reported }: UsageChargesOptions): string[] {
  const fresh: string[] = [];
  for (const name of namesIn(usage, known)) {
    const short = name.slice(0, 100);
    if (known.has(name) || reported.has(short) || reported.size >= MOST_REPORTED) continue;
    reported.add(short);
    fresh.push(short);
  }
  return fresh;
}

/** Returns the names of unknown fields, and the names of all fields in known objects as `outer.inner`. */
function namesIn(usage: Fields, known: ReadonlySet<string>): string[] {
  const names: string[] = [];
  for (const field of Object.keys(usage)) {
    const value = usage[field];
    if (value === null || value === undefined) continue;
    if (!known.has(field)) names.push(field);
    else if (isJsonObject(value)) for (const inner of Object.keys(value)) names.push(`${field}.${inner}`);
  }
  return names;
}
