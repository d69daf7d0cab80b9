import { messageOf } from "../../base/errors.ts";
import type { Leg } from "../../leg/leg.ts";
import { outcomeUnknown, type QuestionEvent, type ResultEvent } from "../../session/close-calls.ts";
import type { Tool } from "../../tools/tool.ts";

const SHUT_DOWN = "its process was shut down before it finished.";

/** Returns why a call is abandoned although it has no result yet. */
export function whyLate({ life }: Leg): string {
  if (life.lost) return SHUT_DOWN;
  return life.signal.aborted ? "the run was stopped before it finished." : "it took too long.";
}

/**
 * Returns the text of a tool's error for the model. If this process has lost or left the run, the outcome is
 * unknown: that may be why the tool failed.
 */
export function failureText({ life }: Leg, cause: unknown): string {
  const message = messageOf(cause);
  return life.lost ? `${outcomeUnknown(SHUT_DOWN)} Its error: ${message}` : message;
}

/**
 * Returns whether another process runs the call again: a deploy or the engine has cut it off, and it is
 * idempotent. A call that was cut off because the platform's time was over would not fit into the next
 * process's time either.
 */
export function isRunAgain(
  { life }: Leg,
  { idempotent }: Tool,
  event: ResultEvent | QuestionEvent | undefined,
): boolean {
  const failed = event === undefined || (event.type === "tool_result" && !event.data.success);
  return idempotent && failed && life.lost && life.leaving !== undefined && life.leaving !== "hand_over";
}
