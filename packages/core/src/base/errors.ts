import type { Json } from "./json.ts";
import { withoutKeys } from "./without-keys.ts";

/** What went wrong, in one word. Codes are stable; messages may change. */
export type PawlErrorCode =
  /** An agent, tool or runtime was put together wrongly. Thrown when it is built. */
  | "config"
  /** No such session or agent, or the session belongs to somebody else. */
  | "not_found"
  /** The caller has no right to this: its key or token is missing, expired or not sufficient. */
  | "forbidden"
  /** The process is shutting down and starts nothing more. */
  | "draining"
  /** The session already has a run in progress. */
  | "session_busy"
  /** A message, an answer or an event cannot be accepted as it is. */
  | "invalid_input"
  /** The answered call is not waiting for an answer. */
  | "unknown_call"
  /** The answer does not fit the schema of the question. */
  | "invalid_answer"
  /** Somebody else answered first. */
  | "already_answered"
  /**
   * `afterSeq` was given and the log has newer events. `details.lastSeq` is its last `seq`. Or the id of a
   * new session is taken.
   */
  | "conflict"
  /** The event key is taken. `details.event` is the event that holds it. */
  | "key_taken"
  /** The caller's lease is no longer the current one. */
  | "fenced"
  /** The store failed. Acknowledged writes are safe; recovery settles the rest. */
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
  /** Machine-readable details: plain JSON, safe to log, not meant for end users. */
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

  /** Whether `error` is a PawlError, with the given code if one is given. */
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
   * The API's finer code, e.g. `enforced_spend_limit_reached`. A code that ends in `spend_limit_reached`
   * means that the money is spent, whatever the status. `context_length_exceeded` means that the prompt is
   * too long for the model. A client sets it if its API reports this in words only.
   */
  errorCode?: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** How long the server asks to wait, in milliseconds. */
  retryAfterMs?: number;
  /** The API's request id, for support. */
  requestId?: string;
}

/**
 * Returns the message of any thrown value as a plain string. Never throws, even if the value's getters do.
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
 * Returns the cause chain of any thrown value as plain JSON: names and messages, no stacks, and nothing that
 * looks like a key.
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
 * Whether the store failed or refused access. Then nothing can be stored about it either, and recovery
 * settles the rest.
 */
export function storeFailed(error: unknown): boolean {
  return PawlError.is(error, "store_unavailable") || PawlError.is(error, "forbidden");
}
