import { checkNumbers } from "../../base/check-numbers.ts";
import { checkOptions, type OptionKinds } from "../../base/check-options.ts";
import { pause, type Sleep } from "../../base/clock.ts";
import { checkModel } from "../check-model.ts";
import { decorate, modelError } from "../failure.ts";
import type { ModelClient, ModelEvent, ModelRequest, StreamOptions } from "../model-client.ts";

/** Options of `withIdleWatchdog()`. */
export interface IdleWatchdogOptions {
  /** The longest time without an event, in milliseconds. Default: 60,000. */
  idleMs?: number;
  /** Waits between two checks; replace it in tests. Default: a timer of the system. */
  sleep?: Sleep;
  /** Returns the current time in milliseconds, from any starting point. Default: `Date.now`. */
  now?: () => number;
}

const OPTIONS: OptionKinds<IdleWatchdogOptions> = {
  idleMs: "number",
  sleep: "function",
  now: "function",
};

/**
 * Aborts a model call that sends no event for `idleMs`, before or during the answer. Throws a retryable
 * `model_error` of type `idle_timeout`. Every event restarts the time, even a `ping`. Time that the caller
 * spends between two events does not count. Aborting the call's `signal` ends it even if the model ignores
 * the signal.
 *
 * @throws PawlError `config` for unknown options and invalid numbers.
 *
 * @example
 * ```ts
 * import { PawlError, withIdleWatchdog } from "@pawl/core";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const silent = scriptedModel([{ text: "Hello", fault: { stall: 3 } }]);
 * const model = withIdleWatchdog(silent, { idleMs: 50 });
 * const request = { system: [], tools: [], messages: [], maxTokens: 100 };
 * try {
 *   for await (const event of model.stream(request, { signal: AbortSignal.timeout(1000) }))
 *     console.log(event.type);
 * } catch (error) {
 *   if (PawlError.is(error, "model_error")) console.log(error.details.type); // idle_timeout
 * }
 * ```
 */
export function withIdleWatchdog(model: ModelClient, options: IdleWatchdogOptions = {}): ModelClient {
  checkModel("The model of withIdleWatchdog()", model);
  checkOptions("withIdleWatchdog()", options, OPTIONS);
  const { idleMs = 60_000, sleep = pause, now = Date.now } = options;
  checkNumbers("withIdleWatchdog()", { idleMs }, { least: 1 });
  async function* stream(
    request: ModelRequest,
    callOptions: StreamOptions,
  ): AsyncGenerator<ModelEvent, void> {
    const { signal } = callOptions;
    signal.throwIfAborted();
    const call = new AbortController();
    const events = model.stream(request, { ...callOptions, signal: call.signal })[Symbol.asyncIterator]();
    const watch = watchOver(events, call, { idleMs, sleep, now });
    const abort = () => watch.interrupt(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      for (;;) {
        const next = await watch.next();
        if (next.done === true) return;
        yield next.value;
        if (next.value.type === "attempt_failed") watch.extendNextWait(next.value.retry_in_ms);
      }
    } finally {
      signal.removeEventListener("abort", abort);
      await watch.close();
    }
  }
  return decorate(model, stream);
}

/** A model call whose waits for events are limited. */
interface Watch {
  /** Waits for the next event. Rejects if none arrives in time. */
  next(): Promise<IteratorResult<ModelEvent>>;
  /** Extends the next wait by a pause that the model has announced, in milliseconds. */
  extendNextWait(ms: number): void;
  /** Aborts the call and ends the current wait. */
  interrupt(reason: unknown): void;
  /** Stops the timer and ends the call. */
  close(): Promise<void>;
}

/**
 * Reads events, and interrupts the call if one takes too long. One timer serves the whole stream: if it fires
 * for an earlier wait, it is set again for the current one.
 */
function watchOver(
  events: AsyncIterator<ModelEvent>,
  call: AbortController,
  { idleMs, sleep, now }: Required<IdleWatchdogOptions>,
): Watch {
  const closed = new AbortController();
  /** The number of the current or last wait. */
  let waits = 0;
  /** When the current wait ends. */
  let deadline = 0;
  let extraMs = 0;
  let hasTimer = false;
  /** Rejects the current wait; `undefined` between two waits. */
  let rejectWait: ((reason: unknown) => void) | undefined;

  const interrupt = (reason: unknown) => {
    call.abort(reason);
    rejectWait?.(reason);
  };
  const onTimer = (wait: number) => {
    hasTimer = false;
    if (rejectWait === undefined) return;
    if (wait === waits) interrupt(idleTimeout(idleMs));
    else setTimer();
  };
  const setTimer = () => {
    hasTimer = true;
    const wait = waits;
    sleep(Math.max(0, deadline - now()), closed.signal).then(
      () => onTimer(wait),
      // A `sleep` that fails ends the call, unless `close()` has ended the sleep.
      (reason: unknown) => closed.signal.aborted || interrupt(reason),
    );
  };
  return {
    interrupt,
    extendNextWait: (ms) => {
      extraMs = ms;
    },
    next: async () => {
      call.signal.throwIfAborted();
      waits += 1;
      deadline = now() + idleMs + extraMs;
      extraMs = 0;
      try {
        return await new Promise((resolve, reject) => {
          rejectWait = reject;
          events.next().then(resolve, reject);
          if (!hasTimer) setTimer();
        });
      } finally {
        rejectWait = undefined;
      }
    },
    close: async () => {
      closed.abort();
      // An aborted call may never settle, so its end is not awaited.
      if (call.signal.aborted) events.return?.().catch(() => undefined);
      else await events.return?.();
    },
  };
}

function idleTimeout(idleMs: number): Error {
  return modelError(`The model has sent nothing for ${idleMs} ms.`, {
    retryable: true,
    type: "idle_timeout",
  });
}
