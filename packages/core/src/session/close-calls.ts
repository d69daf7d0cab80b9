import { type Json, toJson } from "../base/json.ts";
import { jsonWithin, MAX_STORED_DEPTH } from "../base/json-depth.ts";
import { isBlank } from "../base/text.ts";
import type { NewEvent } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import { eventKey } from "../log/event-keys.ts";
import type { Closed, ClosedBy } from "../log/event-parts.ts";
import { type Asking, isHidden, isWaiting, type RunQuestion } from "./asking.ts";
import { type CallState, callsWithoutResult, type RunState } from "./state.ts";

/** The event that settles a call. */
export type ResultEvent = Extract<NewEvent, { type: "tool_result" }>;
export type QuestionEvent = Extract<NewEvent, { type: "tool_suspended" }>;

/** The reason that is stored when a new message closes a question. */
export const OVERTAKEN = "the user wrote a new message instead of answering.";

/**
 * Returns the events that settle all calls and questions of a run that ends here. Every unanswered call gets
 * a result, so that the conversation stays valid. Questions are closed under the same keys as answers. So an
 * answer that arrives at the same time either counts completely or is refused.
 */
export function closeOpenCalls(
  run: RunState,
  by: ClosedBy,
  reasonFor: (call: CallState | RunQuestion) => string,
): NewEvent[] {
  return [
    ...callsWithoutResult(run).flatMap((call) => closeCall(call, by, reasonFor(call))),
    ...run.asked.filter(isWaiting).map((asked) => closedQuestion(asked, by, reasonFor(asked))),
  ];
}

/** Returns the event that closes a question without an answer. */
function closedQuestion(asking: Asking, closed_by: ClosedBy, closed: string): NewEvent {
  return answeredEvent(asking, { value: null, closed, closed_by });
}

/** Returns the event that answers an expired question with its default. */
export function expiredAnswer(asking: Asking): NewEvent {
  return answeredEvent(asking, { value: asking.question?.expires?.default ?? null, expired: true });
}

function answeredEvent(
  asking: Asking,
  answer: Pick<EventData["tool_answered"], "value" | "expired"> & Closed,
): NewEvent {
  const { toolName: tool_name, callId: call_id } = asking;
  const data = { tool_name, call_id, ...answer, ...(isHidden(asking) && { hidden: true as const }) };
  return { type: "tool_answered", key: eventKey.answer(asking), data };
}

/** Returns the events that give each of these calls a result. The calls must not have one yet. */
export function closeCalls(calls: readonly CallState[], reason: string): NewEvent[] {
  return calls.flatMap((call) => closeCall(call, "end", reason));
}

/**
 * Returns the events that settle a call. If the call asks the user, they close the question, and the call
 * counts as skipped. If the call was started, waits for a time or runs at a page, its result says that the
 * outcome is unknown. Otherwise, the result says that the call was not run.
 */
function closeCall(call: CallState, by: ClosedBy, reason: string): NewEvent[] {
  if (isWaiting(call)) {
    // A page may have begun to run its tool, or be done with it.
    if (isHidden(call) || call.question?.clientTool !== undefined)
      return [closedQuestion(call, by, reason), resultEvent(call, false, outcomeUnknown(reason))];
    return [
      closedQuestion(call, by, reason),
      resultEvent(call, true, { answered: false, reason }, { data: { skipped: "closed" } }),
    ];
  }
  if (call.started !== undefined) return [resultEvent(call, false, outcomeUnknown(reason))];
  return [resultEvent(call, false, `Not run: ${reason}${answerSentence(call)}`)];
}

/**
 * Returns a sentence about the answer to a call's question, with a space before it; empty without an answer.
 */
export function answerSentence({ answer }: CallState): string {
  if (answer === undefined) return "";
  if (answer.error !== undefined) return ` The tool had failed at the client: ${answer.error}`;
  return ` The user had answered: ${quotedJson(answer.value)}`;
}

/**
 * Returns an answer as JSON text. Does not throw for an answer that is nested too deeply, e.g. in a log of an
 * earlier version: it must not keep the run from ending.
 */
function quotedJson(value: Json): string {
  try {
    return String(jsonWithin(value, MAX_STORED_DEPTH));
  } catch {
    return "something that cannot be shown.";
  }
}

/**
 * Returns the text that the model reads if a call was started and its outcome is unknown.
 *
 * @param reason a clause with a full stop
 *
 * @example
 * ```ts
 * import { outcomeUnknown } from "@pawl/core/tools";
 *
 * console.log(outcomeUnknown("the server closed the connection."));
 * // The outcome of this call is unknown: the server closed the connection. It may or may not have …
 * ```
 */
export function outcomeUnknown(reason: string): string {
  return `${UNKNOWN}: ${reason} It may or may not have taken effect; check before doing it again.`;
}

const UNKNOWN = "The outcome of this call is unknown";

/**
 * Returns whether the result of a call says that its outcome is unknown, as {@link outcomeUnknown} does.
 *
 * @example
 * ```ts
 * import { isOutcomeUnknown, outcomeUnknown } from "@pawl/core/tools";
 *
 * console.log(isOutcomeUnknown(outcomeUnknown("the server closed the connection."))); // true
 * console.log(isOutcomeUnknown("No such invoice.")); // false
 * ```
 */
export function isOutcomeUnknown(result: unknown): boolean {
  return typeof result === "string" && result.startsWith(UNKNOWN);
}

/** Returns a `tool_suspended` event. With its key, each question or wait can be stored only once. */
export function questionEvent(
  call: Pick<Asking, "callId" | "toolName" | "assistantSeq" | "questions">,
  question: Omit<EventData["tool_suspended"], "tool_name" | "call_id">,
): QuestionEvent {
  const data = { tool_name: call.toolName, call_id: call.callId, ...question };
  const key = question.hidden ? eventKey.waits(call) : eventKey.asked(call);
  return { type: "tool_suspended", key, data };
}

/** Returns a call's `tool_result` event. Its key makes sure that a call has only one result. */
export function resultEvent(
  call: CallState,
  success: boolean,
  result: Json,
  more: { durationMs?: number; data?: Partial<EventData["tool_result"]> } = {},
): ResultEvent {
  // The Messages API refuses an error with blank text.
  const readable =
    !success && typeof result === "string" && isBlank(result)
      ? "It failed without an error message."
      : result;
  return {
    type: "tool_result",
    key: eventKey.result(call),
    data: { call_id: call.callId, tool_name: call.toolName, success, result: toJson(readable), ...more.data },
    ...(more.durationMs !== undefined && { durationMs: more.durationMs }),
  };
}
