import { checkOptions, type OptionKinds } from "../../base/check-options.ts";
import { checkModel } from "../check-model.ts";
import type { ModelClient } from "../model-client.ts";
import { type CircuitBreakerOptions, withCircuitBreaker } from "./circuit-breaker.ts";
import { withFallback } from "./fallback.ts";
import { type IdleWatchdogOptions, withIdleWatchdog } from "./idle-watchdog.ts";
import { type RetryOptions, withRetry } from "./retry.ts";

/** Options of `resilient()`. */
export interface ResilientOptions {
  /**
   * The model, or models in order, to ask when the first one has failed and its retries are used up. Default:
   * none.
   */
  fallback?: ModelClient | readonly ModelClient[];
  /** Options of `withRetry`, for each model. */
  retry?: RetryOptions;
  /** Options of `withCircuitBreaker`, for each model. */
  circuitBreaker?: CircuitBreakerOptions;
  /** Options of `withIdleWatchdog`, for each model. */
  idleWatchdog?: IdleWatchdogOptions;
}

const OPTIONS: OptionKinds<ResilientOptions> = {
  fallback: "any",
  retry: "object",
  circuitBreaker: "object",
  idleWatchdog: "object",
};

/**
 * Makes a model survive failures of its API. Retries temporary failures, aborts silent streams, stops sending
 * requests to a model that keeps failing, and then asks the fallback. Combines `withIdleWatchdog`,
 * `withCircuitBreaker`, `withRetry` and `withFallback`, with their defaults. Each model has its own retries
 * and circuit breaker.
 *
 * Pass models that do not retry by themselves, because retries would multiply. Create one resilient model and
 * share it between agents, so that they share its circuit breaker.
 *
 * @throws PawlError `config` for an unknown option, a model that is not a `ModelClient`, an invalid number or
 * invalid prices.
 *
 * @example
 * ```ts
 * import { resilient } from "@pawl/core";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const large = scriptedModel([{ fault: { status: 529 } }, { fault: { status: 529 } }], { id: "large" });
 * const small = scriptedModel([{ text: "Here I am." }], { id: "small" });
 * const model = resilient(large, { fallback: small, retry: { retries: 1, baseMs: 10 } });
 * const request = { system: [], tools: [], messages: [], maxTokens: 100 };
 * for await (const event of model.stream(request, { signal: AbortSignal.timeout(1000) })) {
 *   if (event.type === "attempt_failed") console.log(`next: ${event.model}`); // next: large, next: small
 * }
 * ```
 */
export function resilient(model: ModelClient, options: ResilientOptions = {}): ModelClient {
  checkOptions("resilient()", options, OPTIONS);
  const { fallback = [], retry, circuitBreaker, idleWatchdog } = options;
  const others = isList(fallback) ? fallback : [fallback];
  checkModel("The model of resilient()", model);
  for (const other of others) checkModel("`fallback` of resilient()", other);

  // The order matters, from the inside out. The watchdog ends a silent attempt, and the breaker counts that
  // as a failure. The breaker counts every attempt, and `withRetry` stops when it opens. The fallback is
  // asked when the retries are used up, or at once while the breaker is open.
  const guarded = (one: ModelClient) =>
    withRetry(withCircuitBreaker(withIdleWatchdog(one, idleWatchdog), circuitBreaker), retry);
  return withFallback(guarded(model), ...others.map(guarded));
}

function isList(value: ModelClient | readonly ModelClient[]): value is readonly ModelClient[] {
  return Array.isArray(value);
}
