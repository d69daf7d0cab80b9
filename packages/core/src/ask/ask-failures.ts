import { messageOf, PawlError } from "../base/errors.ts";
import { toJson } from "../base/json.ts";
import { failureOf } from "../model/failure.ts";
import type { AskSpent } from "../tools/ask-outcome.ts";

/** Returns the error for an answer that cannot be used. `reason` is e.g. the model's stop reason. */
export function unusableError(reason: string, message: string): PawlError {
  return new PawlError("unusable_answer", message, { details: { reason } });
}

/** Returns the error for a call that has taken longer than `timeoutMs`. */
export function timeUp(timeoutMs: number): PawlError {
  const details = { type: "timeout", retryable: true };
  return new PawlError("model_error", `The model has not answered within ${timeoutMs} ms.`, { details });
}

/**
 * Returns the error for a request that failed: the signal's reason if that was thrown. Anything else that a
 * model client throws becomes a `model_error`.
 */
export function failed(cause: unknown, signal: AbortSignal): unknown {
  if (signal.aborted && cause === signal.reason) return cause;
  const details = { ...(failureOf(cause) ?? { retryable: false }) };
  return new PawlError("model_error", messageOf(cause), { cause, details });
}

/**
 * Returns a PawlError with the usage and cost of its call in `details`. Returns any other error unchanged.
 */
export function withSpent(error: unknown, { model, usage, costUsd }: AskSpent): unknown {
  if (!PawlError.is(error)) return error;
  const details = { ...error.details, model, usage: toJson(usage), costUsd };
  return new PawlError(error.code, error.message, { cause: error.cause, details });
}
