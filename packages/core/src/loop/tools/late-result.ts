import { messageOf } from "../../base/errors.ts";
import { outcomeUnknown, type QuestionEvent, type ResultEvent } from "../../session/close-calls.ts";
import type { CallState } from "../../session/state.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Leg } from "../leg/leg.ts";
import { storedFirst } from "../leg/stored-first.ts";

/**
 * Logs a result that came too late. The call was already answered, here or by the process that has taken over
 * the session.
 */
export async function reportLate(
  leg: Leg,
  { callId, toolName }: Pick<CallState, "callId" | "toolName">,
): Promise<void> {
  await leg.report.logLate({
    code: "late_result",
    message: `"${toolName}" finished after its call had been answered.`,
    context: { call_id: callId },
  });
}

/**
 * Stores what a leg that leaves its run still holds. Logs the results that cannot be stored because another
 * process has taken over the session.
 */
export async function reportUnstored(leg: Leg): Promise<void> {
  // The lease may still be good: a leg also leaves because of a deploy, or of one renewal that failed.
  await storedFirst(leg).catch(() => undefined);
  for (const { type, data } of leg.log.unstored()) {
    if (type === "tool_result") await reportLate(leg, { callId: data.call_id, toolName: data.tool_name });
  }
}

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
