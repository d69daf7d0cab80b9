import type { Json } from "./json.ts";
import { withoutKeys } from "./without-keys.ts";

/** What went wrong, in one word. Codes are stable; messages may change. */
export type PawlErrorCode =
  /** An agent, tool or runtime was put together wrongly. Thrown when it is built. */
  | "config"
  /** No such session or agent, or the session belongs to somebody else. */
  | "not_found"
  /**
   * Whoever asks has no right to this: a key or token that is missing, not valid any more, or not good for
   * it.
   */
  | "forbidden"
  /** The process is going down and begins nothing more. */
  | "draining"
  /** The session already has a run in progress. */
  | "session_busy"
  /** A message, an answer or an event that cannot be accepted as it is. */
  | "invalid_input"
  /** The answered call is not waiting for an answer. */
  | "unknown_call"
  /** The answer does not fit the schema of the question. */
  | "invalid_answer"
  /** Somebody else answered first. */
  | "already_answered"
  /** `afterSeq` was given and the log has moved on. `details.lastSeq` says where it is. */
  | "conflict"
  /** An event key is taken. `details.event` is the event that holds it. */
  | "key_taken"
  /** The lease under which the caller writes is no longer the current one. */
  | "fenced"
  /** The store failed. What was acknowledged is safe; recovery settles the rest. */
  | "store_unavailable"
  /** The model call failed. `details` says how, see {@link ModelFailure}. */
  | "model_error"
  /** A request cannot be built from this log. */
  | "context";

const MARK = Symbol.for("pawl.error");

/**
 * The only error class of Pawl. Compare `code`, never the message, and recognise it with
 * {@link PawlError.is}, which also works when two copies of the package are loaded.
 *
 * @example
 * ```ts
 * import { PawlError } from "@pawl/core";
 *
 * try {
 *   throw new PawlError("not_found", "No such session.");
 * } catch (error) {
 *   if (PawlError.is(error, "not_found")) console.log(error.message);
 * }
 * ```
 */
export class PawlError extends Error {
  readonly code: PawlErrorCode;
  /** Machine-readable particulars; plain JSON, safe to log, not meant for end users. */
  readonly details: { readonly [key: string]: unknown };

  constructor(
    code: PawlErrorCode,
    message: string,
    options: { cause?: unknown; details?: { readonly [key: string]: unknown } } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "PawlError";
    this.code = code;
    this.details = options.details ?? {};
    Object.defineProperty(this, MARK, { value: true });
  }

  /** Whether `error` is a PawlError, and has the given code if one is named. */
  static is(error: unknown, code?: PawlErrorCode): error is PawlError {
    return (
      error instanceof Error &&
      MARK in error &&
      (code === undefined || (error as unknown as PawlError).code === code)
    );
  }
}

/** The `details` of a `model_error`. */
export interface ModelFailure {
  /** HTTP status; absent when the failure came inside the stream or on the connection. */
  status?: number;
  /** The API's error type, e.g. `overloaded_error`. */
  type?: string;
  /**
   * The API's finer code, e.g. `enforced_spend_limit_reached`. One that ends in `spend_limit_reached` says
   * that the money is spent, whatever the status, and `context_length_exceeded` that the prompt is too long
   * for the model; a client gives one where its API says so in words only.
   */
  errorCode?: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** What the server asked to wait, in milliseconds. */
  retryAfterMs?: number;
  /** The API's request id, for support. */
  requestId?: string;
}

/**
 * The message of anything that was thrown, as a plain string. Anything can be thrown, also what cannot be
 * asked.
 */
export function messageOf(error: unknown): string {
  try {
    const message = (error as { message?: unknown } | null | undefined)?.message;
    return error instanceof Error || typeof message === "string" ? `${message}` : String(error);
  } catch {
    return "It failed, and did not say why.";
  }
}

/**
 * Any thrown thing as a plain-JSON cause chain: names and messages, no stacks, and nothing that looks like a
 * key.
 */
export function causeOf(error: unknown, depth = 5): Json {
  const message = withoutKeys(messageOf(error));
  try {
    if (!(error instanceof Error)) return message;
    const said = { name: `${error.name}`, message };
    return error.cause === undefined || depth === 0
      ? said
      : { ...said, cause: causeOf(error.cause, depth - 1) };
  } catch {
    return message;
  }
}

/**
 * Whether the store failed, or refuses us: then nothing can be stored about it either, and recovery settles
 * the rest.
 */
export function storeFailed(error: unknown): boolean {
  return PawlError.is(error, "store_unavailable") || PawlError.is(error, "forbidden");
}
