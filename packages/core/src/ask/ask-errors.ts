import { messageOf, PawlError } from "../base/errors.ts";
import { toJson } from "../base/json.ts";
import { failureOf } from "../model/failure.ts";
import type { AskSpent } from "../tools/ask-outcome.ts";

/** The error for an answer that cannot be used. */
export function unusable(reason: string, message: string): PawlError {
  return new PawlError("unusable_answer", message, { details: { reason } });
}

/** The error for a call that has taken too long. */
export function timeUp(timeoutMs: number): PawlError {
  const details = { type: "timeout", retryable: true };
  return new PawlError("model_error", `The model has not answered within ${timeoutMs} ms.`, { details });
}

/**
 * Returns the error for a request that failed. Anything that a model client throws counts as a failure of the
 * model.
 */
export function failed(cause: unknown, signal: AbortSignal): unknown {
  if (signal.aborted && cause === signal.reason) return cause;
  const details = { ...(failureOf(cause) ?? { retryable: false }) };
  return new PawlError("model_error", messageOf(cause), { cause, details });
}

/** Adds the usage and cost of a call to its error, if that is a PawlError. */
export function withSpent(error: unknown, { model, usage, costUsd }: AskSpent): unknown {
  if (!PawlError.is(error)) return error;
  const details = { ...error.details, model, usage: toJson(usage), costUsd };
  return new PawlError(error.code, error.message, { cause: error.cause, details });
}
