import { checkNumbers } from "../../base/check-numbers.ts";
import { checkOptions, type OptionKinds } from "../../base/check-options.ts";
import type { ModelFailure } from "../../base/errors.ts";
import { userCircuits } from "../../base/user-circuits.ts";
import { answerCheck } from "../answer-check.ts";
import { checkModel } from "../check-model.ts";
import { cutStream, decorate, failureOf, modelError } from "../failure.ts";
import type { ModelClient, ModelEvent, ModelRequest, StreamOptions } from "../model-client.ts";

/** Options of `withCircuitBreaker()`. */
export interface CircuitBreakerOptions {
  /** The number of failures in a row that opens the circuit. Default: 5. */
  failures?: number;
  /** How long the circuit stays open, in milliseconds. Default: 30,000. */
  coolDownMs?: number;
  /** Returns the current time in milliseconds, from any starting point. Default: `Date.now`. */
  now?: () => number;
}

const OPTIONS: OptionKinds<CircuitBreakerOptions> = {
  failures: "number",
  coolDownMs: "number",
  now: "function",
};

/**
 * Stops sending requests to a model that keeps failing. The circuit opens after `failures` failures in a row,
 * or at once if the account has no access or credit. Failures that the request itself causes do not count.
 * While the circuit is open, calls fail at once with a `model_error` of type `circuit_open`, with the time
 * left as `retryAfterMs`. After `coolDownMs` one trial call is let through: success closes the circuit,
 * failure opens it again.
 *
 * Each user has a circuit. The one of all users opens after `failures` failures in a row too, but those of
 * one user count as one there: their messages may have caused them. Calls outside of runs have no user, and
 * share a circuit.
 *
 * Each wrapper has its own state, in memory. Create one and share it between agents. A new process starts
 * with a closed circuit.
 *
 * `resilient()` combines the wrappers in the right order. If you combine them yourself, wrap this one around
 * `withIdleWatchdog`, so that a silent trial call ends. Wrap `withRetry` around this one, and `withFallback`
 * around `withRetry`.
 *
 * @throws PawlError `config` for unknown options and invalid numbers.
 *
 * @example
 * ```ts
 * import { PawlError, withCircuitBreaker } from "@pawl/core";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const model = withCircuitBreaker(
 *   scriptedModel(() => ({ fault: { status: 500 } })),
 *   { failures: 1 },
 * );
 * const request = { system: [], tools: [], messages: [], maxTokens: 100 };
 * for (const call of [1, 2]) {
 *   try {
 *     for await (const _ of model.stream(request, { signal: AbortSignal.timeout(1000) }));
 *   } catch (error) {
 *     if (PawlError.is(error, "model_error")) console.log(call, error.details.type);
 *     // 1 api_error, 2 circuit_open
 *   }
 * }
 * ```
 */
export function withCircuitBreaker(model: ModelClient, options: CircuitBreakerOptions = {}): ModelClient {
  checkModel("The model of withCircuitBreaker()", model);
  checkOptions("withCircuitBreaker()", options, OPTIONS);
  const { failures = 5, coolDownMs = 30_000, now = Date.now } = options;
  checkNumbers("withCircuitBreaker()", { failures }, { least: 1 });
  checkNumbers("withCircuitBreaker()", { coolDownMs });
  const circuits = userCircuits({ failures, coolDownMs, now, refused: circuitOpen });
  async function* stream(
    request: ModelRequest,
    callOptions: StreamOptions,
  ): AsyncGenerator<ModelEvent, void> {
    const { userId, signal } = callOptions;
    const call = circuits.begin(userId);
    const check = answerCheck();
    try {
      for await (const event of model.stream(request, callOptions)) {
        check(event);
        if (event.type === "message_stop") call.succeeded();
        yield event;
        if (event.type === "message_stop") return;
      }
      throw cutStream();
    } catch (error) {
      const failure = failureOf(error);
      if (failure !== undefined) call.failed(weightOf(failure), { signal });
      throw error;
    } finally {
      call.over();
    }
  }
  return decorate(model, stream);
}

function circuitOpen(retryAfterMs: number, whose: "all" | "user"): Error {
  const isOfAll = whose === "all";
  const why = isOfAll ? "The model has failed too often" : "The model has failed too often for this user";
  return modelError(`${why}, so it gets no requests${isOfAll ? "" : " of this user"} for a while.`, {
    retryable: true,
    type: "circuit_open",
    retryAfterMs,
  });
}

/** Types of failure that affect every request until the account is fixed. */
const ACCOUNT_ERRORS = ["authentication_error", "billing_error", "permission_error"];

/**
 * Returns how many failures a failure counts as: 0 if the request caused it, 1 if it is temporary, and
 * `Infinity`, which opens the circuit at once, if the account has no access or credit.
 */
function weightOf({ status, type, errorCode, retryable }: ModelFailure): number {
  if (errorCode?.endsWith("spend_limit_reached") === true) return Number.POSITIVE_INFINITY;
  if (status === 401 || status === 402 || status === 403) return Number.POSITIVE_INFINITY;
  if (type !== undefined && ACCOUNT_ERRORS.includes(type)) return Number.POSITIVE_INFINITY;
  return retryable ? 1 : 0;
}
