import { type ModelFailure, PawlError } from "../base/errors.ts";
import type { AttemptFailed, ModelClient } from "./model-client.ts";

/** Returns the details of a `model_error`; `undefined` for any other error, e.g. an abort or a bug. */
export function failureOf(error: unknown): ModelFailure | undefined {
  return PawlError.is(error, "model_error") ? (error.details as unknown as ModelFailure) : undefined;
}

/** Creates a `model_error`. */
export function modelError(message: string, failure: ModelFailure): PawlError {
  return new PawlError("model_error", message, { details: { ...failure } });
}

/** Returns the error for a stream that ended before its answer was complete. */
export function cutStream(): PawlError {
  return modelError("The model's stream ended before its answer was complete.", { retryable: true });
}

/** Returns the event that reports a failed attempt and announces the next attempt, by the model `next`. */
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

/** Returns a copy of `model` with another `stream`. */
export function decorate(model: ModelClient, stream: ModelClient["stream"]): ModelClient {
  // The spread does not copy getters and methods of a class, so these fields are read one by one.
  const { id, pricing, forcedToolChoice, reads, models } = model;
  return {
    ...model,
    id,
    ...(pricing !== undefined && { pricing }),
    ...(forcedToolChoice !== undefined && { forcedToolChoice }),
    ...(reads && { reads }),
    ...(model.outputFormat && { outputFormat: (schema) => model.outputFormat?.(schema) }),
    ...(models !== undefined && { models }),
    stream,
  };
}
