import { backoff } from "../../base/backoff.ts";
import { checkNumbers } from "../../base/check-numbers.ts";
import { checkOptions, type OptionKinds } from "../../base/check-options.ts";
import { failureCause } from "../../base/circuit.ts";
import { pause, type Sleep } from "../../base/clock.ts";
import { answerCheck } from "../answer-check.ts";
import { checkModel } from "../check-model.ts";
import { attemptFailed, cutStream, decorate, failureOf } from "../failure.ts";
import type { ModelClient, ModelEvent, ModelRequest, StreamOptions } from "../model-client.ts";

/** Options of `withRetry()`. */
export interface RetryOptions {
  /** The most attempts after the first one. Default: 3. */
  retries?: number;
  /** The first wait, in milliseconds. Each further wait is twice as long as the one before. Default: 500. */
  baseMs?: number;
  /** The longest wait, in milliseconds, unless the server asks for a longer one. Default: 20,000. */
  maxMs?: number;
  /**
   * The share of each wait that is random, from 0 to 1, so that many clients do not retry at the same moment.
   * Default: 0.25.
   */
  jitter?: number;
  /** Waits before a retry; replace it in tests. Default: a timer of the system. */
  sleep?: Sleep;
  /** Returns a random number from 0 to 1. Default: `Math.random`. */
  random?: () => number;
}

const OPTIONS: OptionKinds<RetryOptions> = {
  retries: "number",
  baseMs: "number",
  maxMs: "number",
  jitter: "number",
  sleep: "function",
  random: "function",
};

/**
 * Retries attempts that fail temporarily: a lost connection, 408, 409, 429, 5xx, an overload in the stream, a
 * stream that was cut or fell silent. Does not retry failures that the request or the account causes, nor an
 * open circuit.
 *
 * Waits double from `baseMs` up to `maxMs`, and are partly random. If the server asks for a certain wait,
 * that wait is used instead. If a wait would use up the time left (`timeLeftMs`), the failure is thrown at
 * once. Before each wait, an `attempt_failed` event announces the new attempt; the answer streamed until then
 * is void.
 *
 * @throws PawlError `config` for unknown options and invalid numbers.
 *
 * @example
 * ```ts
 * import { withRetry } from "@pawl/core";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const busy = scriptedModel([{ fault: { status: 529 } }, { text: "Here I am." }]);
 * const model = withRetry(busy, { retries: 2, baseMs: 10 });
 * const request = { system: [], tools: [], messages: [], maxTokens: 100 };
 * for await (const event of model.stream(request, { signal: AbortSignal.timeout(1000) })) {
 *   console.log(event.type); // attempt_failed, message_start, …
 * }
 * ```
 */
export function withRetry(model: ModelClient, options: RetryOptions = {}): ModelClient {
  checkModel("The model of withRetry()", model);
  checkOptions("withRetry()", options, OPTIONS);
  const { retries = 3, baseMs = 500, maxMs = 20_000, jitter = 0.25 } = options;
  const { sleep = pause, random = Math.random } = options;
  checkNumbers("withRetry()", { retries, baseMs, maxMs });
  checkNumbers("withRetry()", { jitter }, { most: 1 });

  /** Returns the event that announces the next attempt; `undefined` if there is no further attempt. */
  const nextAfter = (error: unknown, attempt: number, { signal, timeLeftMs }: StreamOptions) => {
    const failure = failureOf(error);
    if (failure?.retryable !== true || failure.type === "circuit_open") return undefined;
    if (attempt > retries || failureCause(signal) !== "failed") return undefined;
    const waitMs = failure.retryAfterMs ?? backoff(attempt, { baseMs, maxMs, jitter, random });
    if (timeLeftMs !== undefined && waitMs >= timeLeftMs()) return undefined;
    return attemptFailed(error, failure, model, waitMs);
  };

  async function* stream(
    request: ModelRequest,
    callOptions: StreamOptions,
  ): AsyncGenerator<ModelEvent, void> {
    for (let attempt = 1 + (callOptions.failedAttempts ?? 0); ; attempt += 1) {
      const check = answerCheck();
      try {
        for await (const event of model.stream(request, callOptions)) {
          check(event);
          yield event;
          if (event.type === "message_stop") return;
        }
        throw cutStream();
      } catch (error) {
        const next = nextAfter(error, attempt, callOptions);
        if (next === undefined) throw error;
        yield next;
        await sleep(next.retry_in_ms, callOptions.signal);
        callOptions.signal.throwIfAborted();
      }
    }
  }
  return decorate(model, stream);
}
