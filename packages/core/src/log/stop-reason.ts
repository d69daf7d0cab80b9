/** Why a run stopped. The list is open: stop conditions and hooks of your own may add types. */
export type StopType =
  | "end_turn"
  | "suspended"
  | "terminal_tool"
  | "turn_limit"
  | "deadline"
  | "tool_call_limit"
  | "token_limit"
  | "cost_limit"
  | "quota_exceeded"
  | "circuit_open"
  | "pause_limit"
  | "max_tokens"
  | "refusal"
  | "context_window"
  | "aborted"
  | "interrupted"
  | "crash_loop"
  | "blocked"
  | "error"
  | (string & {});

/** A typed end, with a sentence that may be shown to the user. Nothing ends without one. */
export interface StopReason {
  type: StopType;
  message: string;
}

/**
 * What a condition or a hook gives for a reason, which goes to the log as it is.
 *
 * @throws Error for what is none, e.g. a promise.
 */
export function stopFrom(said: StopReason): StopReason {
  const { type, message } = said ?? {};
  if (typeof type !== "string" || typeof message !== "string") {
    throw new Error("a reason to stop has a type and a message.");
  }
  return { type, message };
}

/** The user has pressed stop, or the caller's signal has fired. */
export const ABORTED: StopReason = { type: "aborted", message: "Stopped." };

/** The user has written something else, and the agent lets that interrupt it. */
export const INTERRUPTED: StopReason = { type: "interrupted", message: "The user wrote something else." };

/** The prompt is longer than the model can read, or the answer came to the end of its window. */
export const CONTEXT_WINDOW: StopReason = {
  type: "context_window",
  message: "This conversation has become too long to go on with.",
};

/** The session is over, and the run would wait for an answer. */
export function sessionOver(status: "expired" | "completed"): StopReason {
  return {
    type: "interrupted",
    message: `This session has ${status === "expired" ? status : "been completed"}.`,
  };
}

/** Ends that leave the session in need of attention. `error` has been logged by whoever saw it. */
const FAILED: readonly StopType[] = ["error"];

/** Ends that are logged as an error when they come about, and leave the session in need of attention. */
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

/** The words of every end that an agent has words of its own for; a blank sentence is replaced. */
export interface StopMessages {
  readonly stopMessages: { readonly [type in StopType]?: string };
}

/** The reason with the agent's own words, and never without any. */
export function withOwnWords({ stopMessages }: StopMessages, { type, message }: StopReason): StopReason {
  const own = Object.hasOwn(stopMessages, type) ? stopMessages[type] : undefined;
  if (own !== undefined && own.trim() !== "") return { type, message: own };
  return { type, message: message.trim() === "" ? "Stopped." : message };
}
