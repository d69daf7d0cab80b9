import { kindOf } from "../base/check-options.ts";

/**
 * Why a run stopped. The list is open: stop conditions and hooks of your own may add types.
 * [Causes and remedies](https://github.com/pawl-js/pawl/blob/main/docs/errors/README.md#stop-types) of each.
 */
export type StopType =
  /** The model completed its answer. */
  | "end_turn"
  /** The run waits for the user's answer; only in `RunResult.stop`. */
  | "suspended"
  /** A tool ended the run, see `endsRun` of `tool()`. */
  | "terminal_tool"
  /** The limit on turns was reached. */
  | "turn_limit"
  /** The time limit was reached. */
  | "deadline"
  /** The limit on tool calls was reached. */
  | "tool_call_limit"
  /** A limit on tokens was reached. */
  | "token_limit"
  /** The limit on cost was reached. */
  | "cost_limit"
  /** A shared budget has no room, see `reservation()`. */
  | "quota_exceeded"
  /** All calls of several turns in a row failed, see `stopOnFailedTurns()`. */
  | "circuit_open"
  /** The model paused its answer too often while it used the API's own tools. */
  | "pause_limit"
  /** The answer was cut off because it reached `max_tokens`. */
  | "max_tokens"
  /** The model's output did not match the schema, also after a reminder; see `AgentOptions.output`. */
  | "invalid_output"
  /** The model refused to answer. */
  | "refusal"
  /** The conversation is too long for the model. */
  | "context_window"
  /** The user pressed stop, or the caller's signal was aborted. */
  | "aborted"
  /** The user sent another message, during the run or instead of an answer. The next run answers it. */
  | "interrupted"
  /** The session was completed or has expired, so that nobody could answer the run's question. */
  | "session_over"
  /** The run's process died at the end of an answer, of which only a part was stored. */
  | "broken_off"
  /** The run's process died several times without progress. */
  | "crash_loop"
  /** Another process continues the run and lacks its credentials, see `withoutCredentials` of `runtime()`. */
  | "credentials_missing"
  /** A guard refused the message or the answer, see `guardrail()`. */
  | "blocked"
  /** Something failed; the log has an `error` event. */
  | "error"
  | (string & {});

/** Why a run stopped: a type, and a sentence that may be shown to the user. */
export interface StopReason {
  /** Why the run stopped, for programs. */
  type: StopType;
  /** The reason in words for the user. An agent's `stopMessages` replace it. */
  message: string;
}

/**
 * Checks the stop reason that a condition or a hook returned, and keeps only the fields that are logged.
 *
 * @throws Error for a value that is not a stop reason, e.g. a promise.
 */
export function stopFrom(returned: StopReason): StopReason {
  const { type, message } = returned ?? {};
  if (typeof type !== "string" || typeof message !== "string") {
    throw new Error(
      `A stop reason must be an object { type, message } of two strings; got ${describeWrong(returned)}.`,
    );
  }
  return { type, message };
}

/** Describes a value that is not a stop reason, e.g. "an object with no `message`". */
function describeWrong(value: unknown): string {
  const kind = kindOf(value);
  if (kind !== "an object") return kind;
  const { type, message } = value as { type?: unknown; message?: unknown };
  const wrong = Object.entries({ type, message }).filter(([, field]) => typeof field !== "string");
  const parts = wrong.map(([name, field]) =>
    field === undefined ? `no \`${name}\`` : `${kindOf(field)} as \`${name}\``,
  );
  return `an object with ${parts.join(" and ")}`;
}

/** The stop reason of a run that the user stopped, or whose caller's signal was aborted. */
export const ABORTED: StopReason = { type: "aborted", message: "Stopped." };

/** The stop reason of a run that the user interrupted by another message, see `whenBusy`. */
export const INTERRUPTED: StopReason = { type: "interrupted", message: "Stopped: a new message arrived." };

/** The stop reason of a run whose agent a runtime lacks, so that the session's own agent continues. */
export const TAKEN_OVER: StopReason = { type: "interrupted", message: "Another assistant continues." };

/** The stop reason of a run whose credentials another process lacks. */
export const CREDENTIALS_MISSING: StopReason = {
  type: "credentials_missing",
  message: "Please sign in again and repeat your last message.",
};

/**
 * The stop reason of a run whose prompt is too long for the model, or whose answer reached the end of the
 * model's context window.
 */
export const CONTEXT_WINDOW: StopReason = {
  type: "context_window",
  message: "This conversation has become too long. Please start a new one.",
};

/** The stop reason of a run whose last request the model, or a filter of its provider, refused to answer. */
export const REFUSAL: StopReason = { type: "refusal", message: "I cannot help with this." };

/**
 * Returns the stop reason of a run that cannot wait for an answer, because its session was completed or has
 * expired.
 */
export function sessionOver(status: "expired" | "completed"): StopReason {
  return {
    type: "session_over",
    message: `This session has ${status === "expired" ? "expired" : "been completed"}.`,
  };
}

/**
 * Stop reasons that leave the session in status `error`. The end of the run adds no `error` event, because
 * the error was logged earlier.
 */
const FAILED: readonly StopType[] = ["error", "invalid_output"];

/**
 * Stop reasons with which the end of the run adds an `error` event, and leaves the session in status `error`.
 */
const REPORTED: readonly StopType[] = [
  "turn_limit",
  "pause_limit",
  "deadline",
  "tool_call_limit",
  "token_limit",
  "cost_limit",
  "quota_exceeded",
  "circuit_open",
  "context_window",
  "crash_loop",
  "credentials_missing",
];

/** Returns whether a run with this stop reason ends with an `error` event. */
export function isReported({ type }: Pick<StopReason, "type">): boolean {
  return REPORTED.includes(type);
}

/**
 * Returns whether a run with this stop reason leaves its session in status `error`.
 *
 * @example
 * ```ts
 * import { isFailed } from "@pawl/core";
 *
 * console.log(isFailed({ type: "cost_limit" }), isFailed({ type: "completed" })); // true false
 * ```
 */
export function isFailed(stop: Pick<StopReason, "type">): boolean {
  return FAILED.includes(stop.type) || isReported(stop);
}

/** Stop reasons that leave the user without a complete answer although nothing failed. */
const INCOMPLETE: readonly StopType[] = ["aborted", "interrupted", "session_over", "broken_off"];

/**
 * Returns whether a run that has ended can be retried: it left the session in status `error`, or was stopped,
 * interrupted or cut off before its answer was complete. A refusal counts as a complete answer, and so does
 * one that reached `max_tokens`.
 *
 * @example
 * ```ts
 * import { canBeRetried } from "@pawl/core";
 *
 * const stop = { type: "aborted", message: "Stopped." } as const;
 * console.log(canBeRetried({ stop }), canBeRetried({})); // true false: the second run has not ended
 * ```
 */
export function canBeRetried({ stop, failed }: { stop?: StopReason; failed?: boolean }): boolean {
  return stop !== undefined && (failed === true || INCOMPLETE.includes(stop.type));
}

/** The agent's own messages for the user, by type of stop reason. A blank message is ignored. */
interface StopMessages {
  readonly stopMessages: { readonly [type in StopType]?: string };
}

/**
 * Returns a stop reason with the agent's own message, if it has one for the type. A reason without a message
 * gets "Stopped.".
 */
export function withOwnWords({ stopMessages }: StopMessages, { type, message }: StopReason): StopReason {
  const own = Object.hasOwn(stopMessages, type) ? stopMessages[type] : undefined;
  if (own !== undefined && own.trim() !== "") return { type, message: own };
  return { type, message: message.trim() === "" ? "Stopped." : message };
}
