import { addUsd } from "../base/usd.ts";
import type { TokenUsage } from "../log/tokens.ts";

/** Tokens and cost. */
export interface Spending {
  /** The tokens that were used. */
  tokens: TokenUsage;
  /** The charged cost, in US dollars. */
  costUsd: number;
}

/** The tokens and cost of a model call outside of the run's turns and tool calls, e.g. by a hook. */
export interface OtherSpending extends Span, Spending {
  /** `seq` of the event that charged the run. */
  seq: number;
  /** What was charged: the name of a hook or tool, or `summary` for a summary of the context. */
  by: string;
  /** Id of the model. */
  model: string;
}

const noTokens: TokenUsage = {
  prompt: 0,
  completion: 0,
  cached: 0,
  cache_write: 0,
  cache_write_1h: 0,
  total: 0,
};

/** A spending of zero tokens and no cost. */
export const noSpending: Spending = { tokens: noTokens, costUsd: 0 };

/**
 * Adds up several spendings.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { spendingsOf, sumOf, timelineOf } from "@pawl/core/inspect";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const greeter = agent({
 *   name: "greeter",
 *   model: scriptedModel([{ text: "Hello.", usage: { output_tokens: 12 } }]),
 *   instructions: "Be kind.",
 * });
 * const store = memoryStore();
 * const pawl = runtime({ agents: [greeter], store });
 * const { sessionId } = await pawl.run("greeter", { userId: "ada", input: "Hi" }).result;
 *
 * const runs = timelineOf(await Array.fromAsync(store.read(sessionId)));
 * console.log(sumOf(runs.flatMap(spendingsOf)).tokens.completion); // 12
 * ```
 */
export function sumOf(spendings: readonly Spending[]): Spending {
  return spendings.reduce(
    (sum, { tokens, costUsd }) => ({
      tokens: added(sum.tokens, tokens),
      costUsd: addUsd(sum.costUsd, costUsd),
    }),
    noSpending,
  );
}

/**
 * Returns the cache hit rate: the share of prompt tokens that were read from the cache, from 0 to 1.
 * `undefined` if no prompt was sent.
 *
 * @example
 * ```ts
 * import { hitRateOf } from "@pawl/core/inspect";
 *
 * const tokens = {
 *   prompt: 100,
 *   completion: 50,
 *   cached: 900,
 *   cache_write: 0,
 *   cache_write_1h: 0,
 *   total: 1_050,
 * };
 * console.log(hitRateOf(tokens)); // 0.9
 * ```
 */
export function hitRateOf({ prompt, cached, cache_write }: TokenUsage): number | undefined {
  const sent = prompt + cached + cache_write;
  return sent === 0 ? undefined : cached / sent;
}

function added(a: TokenUsage, b: TokenUsage): TokenUsage {
  const sum = { ...noTokens };
  for (const field of Object.keys(noTokens) as (keyof TokenUsage)[]) sum[field] = a[field] + b[field];
  return sum;
}

/**
 * A span of time, in milliseconds since 1970, measured by the store's clock. `to` is missing until the span
 * has ended.
 */
export interface Span {
  /** When the span began. */
  from: number;
  /** When the span ended. */
  to?: number;
}

/**
 * Returns the total length of spans, in milliseconds. A span without `to` counts until `now`.
 *
 * @example
 * ```ts
 * import { lasted } from "@pawl/core/inspect";
 *
 * console.log(lasted([{ from: 0, to: 300 }, { from: 1_000 }], 1_200)); // 500
 * ```
 */
export function lasted(spans: readonly Span[], now: number): number {
  return spans.reduce((sum, { from, to = now }) => sum + Math.max(0, to - from), 0);
}
