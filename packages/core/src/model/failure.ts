import { type ModelFailure, PawlError } from "../base/errors.ts";
import type { AttemptFailed, ModelClient } from "./model-client.ts";

/**
 * Returns how a model call failed; `undefined` for any other error, e.g. an abort or an error in the program.
 */
export function failureOf(error: unknown): ModelFailure | undefined {
  return PawlError.is(error, "model_error") ? (error.details as unknown as ModelFailure) : undefined;
}

/** Returns the error for a failure of the model. */
export function modelError(message: string, failure: ModelFailure): PawlError {
  return new PawlError("model_error", message, { details: { ...failure } });
}

/** Returns the error for a stream that ended before its answer did. */
export function cutStream(): PawlError {
  return modelError("The model's stream ended before its answer was complete.", { retryable: true });
}

/** Returns the event which reports that an attempt failed and that the model `next` makes another one. */
export function attemptFailed(
  error: unknown,
  failure: ModelFailure,
  next: ModelClient,
  retryInMs: number,
): AttemptFailed {
  return {
    type: "attempt_failed",
    error: { ...failure, message: (error as Error).message },
    retry_in_ms: retryInMs,
    model: next.id,
    ...(next.pricing !== undefined && { pricing: next.pricing }),
  };
}

/** Returns `model` with another `stream`; its other properties stay. */
export function decorate(model: ModelClient, stream: ModelClient["stream"]): ModelClient {
  const { id, pricing, forcedToolChoice } = model;
  return {
    ...model,
    id,
    ...(pricing !== undefined && { pricing }),
    ...(forcedToolChoice !== undefined && { forcedToolChoice }),
    stream,
  };
}
