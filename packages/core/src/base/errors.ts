import type { Json } from "./json.ts";
import { withoutKeys } from "./without-keys.ts";

/**
 * The kind of a {@link PawlError}. Compare codes, not messages: codes are stable, messages may change. Each
 * code has a page with [causes and
 * remedies](https://github.com/pawl-js/pawl/blob/main/docs/errors/README.md).
 */
export type PawlErrorCode =
  /** An agent, tool or runtime was created with invalid options. Thrown when it is created. */
  | "config"
  /** The session, agent or file does not exist, or the session belongs to another user. */
  | "not_found"
  /** The caller's key or token is missing, expired or does not permit the operation. */
  | "forbidden"
  /** The process is shutting down and accepts no new work. */
  | "draining"
  /**
   * The process is already handling as many files or session reads as `workLimits` allows. The request has
   * waited for `waitMs`, or too many others are waiting. Nothing was done. `details.retryAfterMs` says when
   * to try again.
   */
  | "overloaded"
  /** The session already has a run in progress. */
  | "session_busy"
  /** An argument is invalid, e.g. a message, an event or a file path. */
  | "invalid_input"
  /** The answered call is not waiting for an answer. */
  | "unknown_call"
  /** The answer does not match the question's schema. */
  | "invalid_answer"
  /** The question has already been answered. */
  | "already_answered"
  /**
   * An append's `afterSeq` is not the session's last `seq`, which `details.lastSeq` reports. Or the id of a
   * new session is taken.
   */
  | "conflict"
  /** An event with the same key is already stored. `details.event` is that event. */
  | "key_taken"
  /**
   * The caller's lease is no longer the session's current one, or its append id was used for other events.
   */
  | "fenced"
  /**
   * The store failed or cannot be reached. Acknowledged writes are safe, and interrupted runs are recovered
   * from the log.
   */
  | "store_unavailable"
  /** The model call failed. `details` is a {@link ModelFailure}. */
  | "model_error"
  /** An agent's function `tools` failed, took too long, or returned tools that `agent()` would refuse. */
  | "tools_failed"
  /**
   * The model refused, its answer was cut off, or its output does not match the schema. `details.reason` says
   * which; `details.usage` and `details.costUsd` are what the answers have cost.
   */
  | "unusable_answer"
  /** The run's limits leave no room for a model call of a hook or a tool. Nothing was sent. */
  | "limit_reached"
  /** The session's log has nothing for the model to answer, e.g. because it is empty. */
  | "context";

// Marks the errors of every copy of the package.
const MARK = Symbol.for("pawl.error");

// A test compares this URL with `repository` in package.json.
const PAGES = "https://github.com/pawl-js/pawl/blob/main/docs/errors";

/**
 * Pawl's error class, with a machine-readable `code`. Recognise it with {@link PawlError.is}, which works
 * even if two copies of the package are loaded. Compare `code`, never the message.
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
  /** URL of the page with the causes of this code and their remedies. For developers; not in the message. */
  readonly help: string;

  constructor(
    code: PawlErrorCode,
    message: string,
    options: { cause?: unknown; details?: { readonly [key: string]: unknown } } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "PawlError";
    this.code = code;
    this.details = options.details ?? {};
    this.help = `${PAGES}/${code}.md`;
    Object.defineProperty(this, MARK, { value: true });
  }

  /** Returns whether `error` is a PawlError and, if `code` is given, has this code. */
  static is(error: unknown, code?: PawlErrorCode): error is PawlError {
    return (
      error instanceof Error &&
      MARK in error &&
      (code === undefined || (error as unknown as PawlError).code === code)
    );
  }

  /**
   * Returns the message of any thrown value for a developer's console. For a PawlError, the link `help`
   * follows in brackets. Control characters are shown as escapes, e.g. `\u001b`: the message may quote a text
   * from outside, and a terminal would obey it. Tabs and line ends stay.
   */
  static describe(error: unknown): string {
    const message = printable(messageOf(error));
    // An older copy of the package has errors without a link.
    return PawlError.is(error) && error.help ? `${message} (${error.help})` : message;
  }

  /** Returns the fields for JSON, without `help`, which is for developers: a model may read the JSON. */
  toJSON(): { [key: string]: unknown } {
    const { help: _, ...rest } = this;
    return rest;
  }
}

/** How a model call failed: the `details` of an error with the code `model_error`. */
export interface ModelFailure {
  /** HTTP status. Absent if the connection failed or the stream broke off. */
  status?: number;
  /** The API's error type, e.g. `overloaded_error`. */
  type?: string;
  /**
   * A more specific code of the API, e.g. `enforced_spend_limit_reached`. A code that ends in
   * `spend_limit_reached` means that the account has reached its spend limit, whatever the status.
   * `context_length_exceeded` means that the prompt is too long for the model. A model client sets this code
   * itself if the API sends only a message.
   */
  errorCode?: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** How long the server asks to wait, in milliseconds. */
  retryAfterMs?: number;
  /** The API's request id, for support requests. */
  requestId?: string;
}

/**
 * Returns the message of any thrown value as a plain string. Never throws, even if the value's getters do.
 *
 * @example
 * ```ts
 * import { messageOf } from "@pawl/core";
 *
 * console.log(messageOf(new Error("No such file.")), messageOf("gone")); // No such file. gone
 * ```
 */
export function messageOf(error: unknown): string {
  try {
    const message = (error as { message?: unknown } | null | undefined)?.message;
    const hasMessage = error instanceof Error || typeof message === "string";
    return hasMessage ? `${message}` : String(error);
  } catch {
    return "It failed without an error message.";
  }
}

/**
 * Returns a thrown error and its chain of causes as plain JSON: names and messages, without stacks. Returns a
 * thrown value that is no `Error` as its message. Removes anything that looks like a key.
 *
 * @param depth the most causes to follow
 */
export function causeOf(error: unknown, depth = 5): Json {
  const message = withoutKeys(messageOf(error));
  try {
    if (!(error instanceof Error)) return message;
    const fields = { name: `${error.name}`, message };
    return error.cause === undefined || depth === 0
      ? fields
      : { ...fields, cause: causeOf(error.cause, depth - 1) };
  } catch {
    return message;
  }
}

/**
 * Returns whether an error means that the store failed or refused access. Such an error cannot be stored in
 * the session's log. The run is recovered from the events that the log has.
 */
export function storeFailed(error: unknown): boolean {
  return PawlError.is(error, "store_unavailable") || PawlError.is(error, "forbidden");
}

/**
 * Returns a text for a terminal: control characters (C0 and C1) become escapes, e.g. `\u001b`. Tabs and line
 * ends stay.
 */
export function printable(text: string): string {
  return text.replace(
    /(?![\t\n]|\r\n)\p{Cc}/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Returns whether an error means that this process cannot write the session's log. A hook or a tool cannot
 * handle such an error and should throw it again. The run then ends, or continues in another process.
 *
 * @example
 * ```ts
 * import { PawlError } from "@pawl/core";
 * import { isLogFailure } from "@pawl/core/tools";
 *
 * console.log(isLogFailure(new PawlError("fenced", "Another process has this session."))); // true
 * console.log(isLogFailure(new PawlError("model_error", "Overloaded"))); // false
 * ```
 */
export function isLogFailure(error: unknown): boolean {
  return PawlError.is(error, "fenced") || storeFailed(error);
}
