import { type ModelFailure, PawlError } from "@pawl/core";
import type { ModelEvent } from "@pawl/core/model";
import type { ApiError } from "../base/api-error.ts";
import { earlyError, playEvents } from "../base/play-events.ts";
import type { Reply } from "../base/reply.ts";
import type { WireEvent } from "../base/reply-events.ts";
import { sleep } from "../base/sleep.ts";

/**
 * Yields the events of a reply as a `ModelClient` does. Faults are thrown as `model_error`, with the details
 * that the real client adds. If the signal aborts, throws the signal's reason.
 */
export async function* inProcessStream(
  reply: Reply,
  events: readonly WireEvent[],
  options: { signal: AbortSignal; requestId: string; begin?: () => void },
): AsyncGenerator<ModelEvent, void, undefined> {
  const { signal, requestId } = options;
  try {
    signal.throwIfAborted();
    if (reply.latencyMs !== undefined) await sleep(reply.latencyMs, signal);
    const early = earlyError(reply.fault);
    if (early !== undefined) throw modelError(early, requestId, early.retryAfter);
    options.begin?.();
    for await (const step of playEvents(reply, events, signal)) {
      signal.throwIfAborted();
      if ("stall" in step) await untilAborted(signal);
      else if ("error" in step) throw modelError(step.error, requestId, undefined, true);
      else if ("cut" in step) throw lostConnection(requestId);
      else yield withRequestId(step.event, requestId);
      signal.throwIfAborted();
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** The codes that the real client gives to failures for which the API has only a message. */
const codes: readonly (readonly [words: string, code: string])[] = [
  ["You have reached your specified API usage limits", "own_spend_limit_reached"],
  ["prompt is too long", "context_length_exceeded"],
];

/** The types of errors in a stream that a retry may overcome. */
const passing = ["overloaded_error", "api_error", "timeout_error", "rate_limit_error"];

/**
 * Returns an API error as the `PawlError` that model clients throw. An error in the middle of a stream has no
 * status.
 */
export function modelError(
  error: ApiError,
  requestId: string,
  retryAfter?: number,
  inStream = false,
): PawlError {
  const { status, type, message } = error;
  const errorCode = error.errorCode ?? codes.find(([words]) => message.startsWith(words))?.[1];
  const spent = errorCode?.endsWith("spend_limit_reached") === true;
  const passes = inStream
    ? passing.includes(type)
    : status === 408 || status === 409 || status === 429 || status >= 500;
  const details: ModelFailure = {
    ...(inStream ? {} : { status }),
    type,
    ...(errorCode === undefined ? {} : { errorCode }),
    retryable: !spent && passes,
    ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1000 }),
    requestId,
  };
  return new PawlError("model_error", message, { details: { ...details } });
}

function lostConnection(requestId: string): PawlError {
  return new PawlError("model_error", "The model's answer was cut off.", {
    details: { retryable: true, requestId },
  });
}

function withRequestId(event: WireEvent, requestId: string): ModelEvent {
  const whole = event.type === "message_start" ? { ...event, request_id: requestId } : { ...event };
  return whole as unknown as ModelEvent;
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
