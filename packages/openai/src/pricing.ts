import { checkOptions, type Pricing } from "@pawl/core";

/** Makes a `Pricing`. `cacheWrite` defaults to `input`, because older models charge the same for both. */
function prices(input: number, output: number, cacheRead: number, cacheWrite = input): Pricing {
  return { input, output, cacheRead, cacheWrite5m: cacheWrite, cacheWrite1h: cacheWrite };
}

/**
 * Adds the prices for prompts above 272,000 tokens: the whole prompt costs twice as much, and the answer 1.5
 * times.
 */
function withLongPrompt(short: Pricing): Pricing {
  return {
    ...short,
    longPrompt: {
      above: 272_000,
      input: short.input * 2,
      output: short.output * 1.5,
      cacheRead: short.cacheRead * 2,
      cacheWrite5m: short.cacheWrite5m * 2,
      cacheWrite1h: short.cacheWrite1h * 2,
    },
  };
}

/**
 * Prices in US dollars per million tokens of the standard tier. They are from third-party lists of
 * 2026-11-20, because OpenAI's own page could not be reached.
 */
const known: { readonly [model: string]: Pricing } = {
  "gpt-6-astra": withLongPrompt(prices(10, 50, 1, 12.5)),
  "gpt-6-sol": withLongPrompt(prices(2, 10, 0.2, 2.5)),
  "gpt-6-luna": withLongPrompt(prices(0.1, 0.5, 0.01, 0.125)),
  "gpt-6.1-sol": withLongPrompt(prices(2, 10, 0.1, 2.5)),
  "gpt-6.1-terra": prices(1, 5, 0.05, 1.25),
  "gpt-5.5": withLongPrompt(prices(5, 30, 0.5)),
  "gpt-5.4": withLongPrompt(prices(2.5, 15, 0.25)),
  "gpt-5.4-mini": prices(0.75, 4.5, 0.075),
  "gpt-5.4-nano": prices(0.2, 1.25, 0.02),
  "gpt-5.2": prices(1.75, 14, 0.175),
  "gpt-5.1": prices(1.25, 10, 0.125),
  "gpt-5": prices(1.25, 10, 0.125),
  "gpt-5-mini": prices(0.25, 2, 0.025),
  "gpt-5-nano": prices(0.05, 0.4, 0.005),
  "gpt-4.1": prices(2, 8, 0.5),
  "gpt-4.1-mini": prices(0.4, 1.6, 0.1),
  "gpt-4.1-nano": prices(0.1, 0.4, 0.025),
  "gpt-4o": prices(2.5, 10, 1.25),
  "gpt-4o-mini": prices(0.15, 0.6, 0.075),
};

/**
 * Returns the prices of an OpenAI model, or `undefined` for other models. They are from third-party lists of
 * 2026-11-20 and were not compared with OpenAI's own page. A dated id (`gpt-5.4-mini-2026-03-17`) has the
 * prices of the id without the date. If money depends on the prices, pass your own as `pricing` to
 * `openai()`.
 *
 * @returns US dollars per million tokens
 *
 * @example
 * ```ts
 * import { pricingOf } from "@pawl/openai";
 *
 * console.log(pricingOf("gpt-5.4-mini")?.output); // 4.5
 * ```
 */
export function pricingOf(model: string): Pricing | undefined {
  checkOptions("pricingOf()", { model }, { model: "string!" });
  const name = undated(model);
  return Object.hasOwn(known, name) ? known[name] : undefined;
}

/** Removes the date of a model's id, e.g. returns `gpt-5.4-mini` for `gpt-5.4-mini-2026-03-17`. */
export function undated(model: string): string {
  return model.replace(/-\d{4}-\d{2}-\d{2}$/, "");
}

/**
 * What a fast answer costs, by model, as a factor of the standard price. From OpenAI's page on priority
 * processing, 2026-11-29. The page does not list the newest models: these count as the dearest one.
 */
// https://openai.com/api-priority-processing/. Since 2026-07-30 this is called Fast mode, and a request may
// name it `priority` or `fast` (https://developers.openai.com/api/docs/guides/fast-mode). `ultrafast` is not
// here: only the Responses API has it.
const FAST: { readonly [model: string]: number } = {
  "gpt-5.5": 2.5,
  "gpt-5.4": 2,
  "gpt-5.4-mini": 2,
  "gpt-5.2": 2,
  "gpt-5.1": 2,
  "gpt-5": 2,
  "gpt-5-mini": 1.8,
  "gpt-4.1": 1.75,
  "gpt-4.1-mini": 1.75,
  "gpt-4.1-nano": 2,
  "gpt-4o": 1.7,
  "gpt-4o-mini": 5 / 3,
};

const DEAREST_FAST = 2.5;

/** Adds the factors of OpenAI's tiers to prices that do not have their own. */
// `flex` costs half, as batches do. OpenAI's own list of prices could not be read for the newest models.
export function withTiers(model: string, pricing: Pricing): Pricing {
  const name = undated(model);
  const fast = Object.hasOwn(FAST, name) ? (FAST[name] ?? DEAREST_FAST) : DEAREST_FAST;
  const service_tier = { flex: 0.5, priority: fast, fast };
  return Object.hasOwn(known, name) ? { factors: { service_tier }, ...pricing } : pricing;
}
