import { type ModelFailure, PawlError } from "../base/errors.ts";
import type { AttemptFailed, ModelClient } from "./model-client.ts";

/**
 * How a model call failed; `undefined` for what the model did not do, e.g. an abort or an error in the
 * program.
 */
export function failureOf(error: unknown): ModelFailure | undefined {
  return PawlError.is(error, "model_error") ? (error.details as unknown as ModelFailure) : undefined;
}

/** A failure of the model, as it is thrown. */
export function modelError(message: string, failure: ModelFailure): PawlError {
  return new PawlError("model_error", message, { details: { ...failure } });
}

/** The stream ended although the answer had not. */
export function cutStream(): PawlError {
  return modelError("The model's answer broke off.", { retryable: true });
}

/** Says that an attempt has failed and that `next` makes another one. */
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

/** `model` with another way to stream; all else that it says of itself stays. */
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
