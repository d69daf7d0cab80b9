import { messageOf } from "../../base/errors.ts";
import {
  isOutcomeUnknown,
  outcomeUnknown,
  type QuestionEvent,
  type ResultEvent,
} from "../../session/close-calls.ts";
import type { CallState } from "../../session/state.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Leg } from "../leg/leg.ts";
import { storeHeld } from "../leg/stored-first.ts";

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
 * Stores the held events of a leg that leaves its run. If another process has taken over the session, they
 * cannot be stored: then logs each held result as late.
 */
export async function reportUnstored(leg: Leg): Promise<void> {
  // The lease may still be current: a leg also leaves for a deploy, or after one failed renewal.
  await storeHeld(leg).catch(() => undefined);
  for (const { type, data } of leg.log.unstored()) {
    if (type === "tool_result") await reportLate(leg, { callId: data.call_id, toolName: data.tool_name });
  }
}

const SHUT_DOWN = "its process was shut down before it finished.";

/** Returns why a call is abandoned before it has a result, as a clause for the model. */
export function whyLate({ life }: Leg): string {
  if (life.lost) return SHUT_DOWN;
  return life.signal.aborted ? "the run was stopped before it finished." : "it took too long.";
}

/**
 * Returns the text of a tool's error for the model. If the call was cut off before it failed, and may not
 * simply be repeated, the text says that the outcome is unknown: the tool may have taken effect, and have
 * failed only because it was cut off.
 */
export function failureText(leg: Leg, { idempotent }: Tool, cause: unknown): string {
  const { lost, signal } = leg.life;
  const message = messageOf(cause);
  const isCutOff = lost || (signal.aborted && !idempotent);
  if (!isCutOff || isOutcomeUnknown(message)) return message;
  return `${outcomeUnknown(whyLate(leg))} Its error: ${message}`;
}

/**
 * Returns whether another process runs the call again: its tool is idempotent, and a deploy or the engine has
 * cut the call off before it succeeded. Returns `false` if the platform's time was over (`hand_over`): the
 * call would not fit into the next process's time either.
 */
export function isRunAgain(
  { life }: Leg,
  { idempotent }: Tool,
  event: ResultEvent | QuestionEvent | undefined,
): boolean {
  const isUnfinished = event === undefined || (event.type === "tool_result" && !event.data.success);
  const isCutOff = life.lost && life.leaving !== undefined && life.leaving !== "hand_over";
  return idempotent && isUnfinished && isCutOff;
}
