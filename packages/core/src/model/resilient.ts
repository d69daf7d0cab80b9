import { PawlError } from "../base/errors.ts";
import { type CircuitBreakerOptions, withCircuitBreaker } from "./circuit-breaker.ts";
import { withFallback } from "./fallback.ts";
import { type IdleWatchdogOptions, withIdleWatchdog } from "./idle-watchdog.ts";
import type { ModelClient } from "./model-client.ts";
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
  const { fallback = [], retry, circuitBreaker, idleWatchdog, ...unknown } = options;
  refuseUnknown(Object.keys(unknown));
  const groups = { retry, circuitBreaker, idleWatchdog };
  for (const [group, given] of Object.entries(groups)) checkGroup(group as keyof typeof groups, given);
  const others = isList(fallback) ? fallback : [fallback];
  checkModel("its model", model);
  for (const other of others) checkModel("`fallback`", other);

  // From the inside out: the watchdog ends a silent attempt, so that the breaker counts it as a failure. The
  // breaker counts every attempt, and the retries end when it opens. The fallback is asked when the retries
  // are used up, or at once while the breaker is open.
  const guarded = (one: ModelClient) =>
    withRetry(withCircuitBreaker(withIdleWatchdog(one, idleWatchdog), circuitBreaker), retry);
  return withFallback(guarded(model), ...others.map(guarded));
}

/** The options of each group. Without this check, a typo would leave the default in place. */
const KNOWN: { readonly [group in "retry" | "circuitBreaker" | "idleWatchdog"]: readonly string[] } = {
  retry: ["retries", "baseMs", "maxMs", "jitter", "sleep", "random"] satisfies (keyof RetryOptions)[],
  circuitBreaker: ["failures", "coolDownMs", "now"] satisfies (keyof CircuitBreakerOptions)[],
  idleWatchdog: ["idleMs", "sleep", "now"] satisfies (keyof IdleWatchdogOptions)[],
};

function checkGroup(group: keyof typeof KNOWN, given: unknown): void {
  if (given === undefined) return;
  if (given === null || typeof given !== "object")
    throw config(`\`${group}\` must be an object of options; got ${kindOf(given)}.`);
  const unknown = Object.keys(given).filter((name) => !KNOWN[group].includes(name));
  refuseUnknown(unknown.map((name) => `${group}.${name}`));
}

function refuseUnknown(names: readonly string[]): void {
  if (names.length > 0) throw config(`there is no option "${names.join('", "')}".`);
}

function checkModel(what: string, model: unknown): void {
  if (typeof (model as Partial<ModelClient> | null | undefined)?.stream === "function") return;
  throw config(`${what} must be a ModelClient, e.g. claude("claude-sonnet-5-5"); got ${kindOf(model)}.`);
}

/**
 * Names the type of a value for an error message. The value itself may be a secret that was passed by
 * mistake.
 */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
}

function isList(value: ModelClient | readonly ModelClient[]): value is readonly ModelClient[] {
  return Array.isArray(value);
}

function config(what: string): PawlError {
  return new PawlError("config", `resilient() cannot be used: ${what}`);
}
