import { type Json, toJson } from "../base/json.ts";
import { isBlank } from "../base/text.ts";
import type { NewEvent } from "../log/event.ts";
import { eventKey } from "../log/event-keys.ts";
import { type CallState, isWaiting, type RunState, unanswered } from "./state.ts";

/** Why a question is closed that a message has overtaken, whether its run goes on or ends. */
export const OVERTAKEN = "the user wrote a new message instead of answering.";

/**
 * Gives every unanswered call of the run a result, so that the conversation stays valid when the run ends
 * here. Questions are closed under the same keys as answers, so an answer that arrives at the same time
 * either counts completely or is refused.
 */
export function closeOpenCalls(run: RunState, reasonFor: (call: CallState) => string): NewEvent[] {
  return unanswered(run).flatMap((call) => closeCall(call, reasonFor(call)));
}

/** Gives each of these calls a result; none of them has one. */
export function closeCalls(calls: readonly CallState[], reason: string): NewEvent[] {
  return calls.flatMap((call) => closeCall(call, reason));
}

function closeCall(call: CallState, reason: string): NewEvent[] {
  const named = { tool_name: call.toolName, call_id: call.callId };
  if (isWaiting(call)) {
    return [
      {
        type: "tool_answered",
        key: eventKey.answer(call),
        data: { ...named, value: null, closed: reason },
      },
      resultEvent(call, true, { answered: false, reason }, { data: { skipped: "closed" } }),
    ];
  }
  if (call.started !== undefined) return [resultEvent(call, false, outcomeUnknown(reason))];
  return [resultEvent(call, false, `Not run: ${reason}${hadBeenAnswered(call)}`)];
}

function hadBeenAnswered({ answer }: CallState): string {
  if (answer === undefined) return "";
  if (answer.error !== undefined) return ` It had failed: ${answer.error}`;
  return ` The user had answered: ${quotedJson(answer.value)}`;
}

/** Returns the answer as JSON. A value nested too deeply for JSON must not keep the run from ending. */
function quotedJson(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "something that cannot be shown.";
  }
}

/** Returns what the model reads if a call was started and its outcome is unknown. */
export function outcomeUnknown(reason: string): string {
  return `The outcome of this call is unknown: ${reason} It may or may not have taken effect; check before doing it again.`;
}

/** Returns a `tool_result` under the key that only one result of a call can have. */
export function resultEvent(
  call: CallState,
  success: boolean,
  result: Json,
  more: { durationMs?: number; data?: Partial<Extract<NewEvent, { type: "tool_result" }>["data"]> } = {},
): Extract<NewEvent, { type: "tool_result" }> {
  // The API refuses a blank error.
  const said =
    !success && typeof result === "string" && isBlank(result) ? "It failed without an error message." : result;
  return {
    type: "tool_result",
    key: eventKey.result(call),
    data: { call_id: call.callId, tool_name: call.toolName, success, result: toJson(said), ...more.data },
    ...(more.durationMs !== undefined && { durationMs: more.durationMs }),
  };
}
