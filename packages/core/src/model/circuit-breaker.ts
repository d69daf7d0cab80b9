import { checkNumbers } from "../base/check-numbers.ts";
import type { ModelFailure } from "../base/errors.ts";
import { cutStream, decorate, failureOf, modelError } from "./failure.ts";
import type { ModelClient, ModelEvent, ModelRequest, StreamOptions } from "./model-client.ts";

/** Options of `withCircuitBreaker()`. */
export interface CircuitBreakerOptions {
  /** Failures in a row that open the circuit. Default: 5. */
  failures?: number;
  /** How long it stays open, in milliseconds. Default: 30,000. */
  coolDownMs?: number;
  /** Milliseconds, from any beginning; default: `Date.now`. */
  now?: () => number;
}

/**
 * A model that is left alone when it keeps failing. After so many failures in a row that are not the
 * request's own fault, or one that no other request would escape (no access, no money), the circuit is open:
 * calls fail at once with a `model_error` of type `circuit_open`, and `retryAfterMs` says for how long. Then
 * one call is let through to try; it closes the circuit, or opens it anew.
 *
 * What it knows is kept in memory, for this model in this process, and is no state of any session: it
 * protects the process and the model, and a process that begins without it only finds out for itself.
 *
 * Its place is around `withIdleWatchdog`, so that a trial comes to an end, inside of `withRetry`, which does
 * not wait for an open circuit, and inside of `withFallback`, which goes on to the next model. Make one and
 * share it: agents that each decorate the model for themselves do not learn from each other.
 *
 * @throws PawlError `config` for numbers that are none.
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
  const breaker = circuit(options);
  async function* stream(request: ModelRequest, bounds: StreamOptions): AsyncGenerator<ModelEvent, void> {
    const call = breaker.enter();
    try {
      for await (const event of model.stream(request, bounds)) {
        if (event.type === "message_stop") call.succeeded();
        yield event;
        if (event.type === "message_stop") return;
      }
      throw cutStream();
    } catch (error) {
      const failure = failureOf(error);
      if (failure !== undefined && !bounds.signal.aborted) call.failed(failure);
      throw error;
    } finally {
      call.over();
    }
  }
  return decorate(model, stream);
}

/** A call that was let through. */
interface Call {
  succeeded(): void;
  failed(failure: ModelFailure): void;
  /** However it came out; a trial without an outcome leaves it to the next call. */
  over(): void;
}

/** Closed while `until` is undefined, then open, and half open from `until` on. */
function circuit({ failures = 5, coolDownMs = 30_000, now = Date.now }: CircuitBreakerOptions): {
  enter(): Call;
} {
  checkNumbers("withCircuitBreaker()", { failures }, { least: 1 });
  checkNumbers("withCircuitBreaker()", { coolDownMs });
  /** Only a success takes it back, so that a trial that fails is one too many. */
  let inARow = 0;
  let until: number | undefined;
  let trying = false;

  const enter = (): Call => {
    const leftMs = until === undefined ? 0 : until - now();
    if (leftMs > 0) throw open(leftMs);
    if (trying) throw open(coolDownMs);
    const trial = until !== undefined;
    trying = trial;
    /** Of calls that began before the circuit opened, nothing is learnt any more. */
    const counts = () => trial || until === undefined;
    return {
      succeeded: () => {
        if (!counts()) return;
        inARow = 0;
        until = undefined;
      },
      failed: (failure) => {
        const weight = weightOf(failure);
        if (!counts() || weight === 0) return;
        inARow += weight;
        if (inARow >= failures) until = now() + coolDownMs;
      },
      over: () => {
        if (trial) trying = false;
      },
    };
  };
  return { enter };
}

function open(retryAfterMs: number): Error {
  return modelError("The model has failed too often and is left alone for a while.", {
    retryable: true,
    type: "circuit_open",
    retryAfterMs,
  });
}

/** Every request fails like this one until somebody puts the account in order. */
const shut = ["authentication_error", "billing_error", "permission_error"];

/** How much a failure says against the model: nothing, something, or everything. */
function weightOf({ status, type, errorCode, retryable }: ModelFailure): number {
  if (errorCode?.endsWith("spend_limit_reached") === true) return Number.POSITIVE_INFINITY;
  if (status === 401 || status === 402 || status === 403) return Number.POSITIVE_INFINITY;
  if (type !== undefined && shut.includes(type)) return Number.POSITIVE_INFINITY;
  return retryable ? 1 : 0;
}
