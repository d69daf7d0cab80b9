/** Why a run stopped. The list is open: stop conditions and hooks of your own may add types. */
export type StopType =
  /** The model completed its answer. */
  | "end_turn"
  /** The run waits for the user's answer; only in `RunResult.stop`. */
  | "suspended"
  /** A tool ended the run, see `endsRun`. */
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
  /** The answer was cut off at its `max_tokens`. */
  | "max_tokens"
  /** The model refused to answer. */
  | "refusal"
  /** The conversation is too long for the model. */
  | "context_window"
  /** The user pressed stop, or the caller's signal was aborted. */
  | "aborted"
  /** A new message, the end of the session or a broken-off answer ended the run. */
  | "interrupted"
  /** Its process died repeatedly without progress. */
  | "crash_loop"
  /** For hooks that refuse a request; core never uses it. */
  | "blocked"
  /** Something failed; the log has an `error` event. */
  | "error"
  | (string & {});

/** Why a run stopped: a type, and a sentence that may be shown to the user. Every run that ends has one. */
export interface StopReason {
  type: StopType;
  message: string;
}

/**
 * Returns the stop reason of a condition or a hook, reduced to the fields that are logged.
 *
 * @throws Error for a value that is not a stop reason, e.g. a promise.
 */
export function stopFrom(said: StopReason): StopReason {
  const { type, message } = said ?? {};
  if (typeof type !== "string" || typeof message !== "string") {
    throw new Error("A stop reason must be { type, message }, both strings. A promise is not one.");
  }
  return { type, message };
}

/** The user pressed stop, or the caller's signal was aborted. */
export const ABORTED: StopReason = { type: "aborted", message: "Stopped." };

/** The user sent another message, and the agent is set to interrupt the run for it. */
export const INTERRUPTED: StopReason = { type: "interrupted", message: "Stopped: a new message arrived." };

/** The prompt is too long for the model, or the answer reached the end of its context window. */
export const CONTEXT_WINDOW: StopReason = {
  type: "context_window",
  message: "This conversation has become too long. Please start a new one.",
};

/** The session was completed or has expired, so the run cannot wait for an answer. */
export function sessionOver(status: "expired" | "completed"): StopReason {
  return {
    type: "interrupted",
    message: `This session has ${status === "expired" ? status : "been completed"}.`,
  };
}

/** Stop reasons that leave the session in status `error` and whose error has already been logged. */
const FAILED: readonly StopType[] = ["error"];

/** Stop reasons that are logged as an error and leave the session in status `error`. */
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
];

/** Whether a run with this stop reason ends with an `error` event. */
export function isReported({ type }: Pick<StopReason, "type">): boolean {
  return REPORTED.includes(type);
}

/** Whether a run with this stop reason leaves its session in status `error`. */
export function isFailed(stop: Pick<StopReason, "type">): boolean {
  return FAILED.includes(stop.type) || isReported(stop);
}

/** Stop reasons that leave the user without a complete answer although nothing failed. */
const BROKEN_OFF: readonly StopType[] = ["aborted", "interrupted"];

/**
 * Whether a run that has ended can be retried: it left the session in status `error`, or was stopped or
 * interrupted before its answer was complete. A refusal and an answer that reached `max_tokens` are answers.
 */
export function canBeRetried({ stop, failed }: { stop?: StopReason; failed?: boolean }): boolean {
  return stop !== undefined && (failed === true || BROKEN_OFF.includes(stop.type));
}

/** The agent's own messages for stop reasons, by type. A blank message is replaced. */
interface StopMessages {
  readonly stopMessages: { readonly [type in StopType]?: string };
}

/** Returns the reason with the agent's own message, if it has one, and never with a blank message. */
export function withOwnWords({ stopMessages }: StopMessages, { type, message }: StopReason): StopReason {
  const own = Object.hasOwn(stopMessages, type) ? stopMessages[type] : undefined;
  if (own !== undefined && own.trim() !== "") return { type, message: own };
  return { type, message: message.trim() === "" ? "Stopped." : message };
}
