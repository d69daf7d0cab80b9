import type { Leg } from "../../leg/leg.ts";
import { storedFirst } from "../../leg/stored-first.ts";
import type { CallState } from "../../session/state.ts";

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
