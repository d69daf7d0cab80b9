import { USER_DATA } from "../../context/prefix.ts";
import { contextTypes, type StoredEvent } from "../../log/event.ts";
import { isExtension, isRedactable } from "../../log/store/redacted.ts";
import { isToolUse } from "../../model/content.ts";

/** Returns the events of a range that can be redacted, without user data. */
export function targetsIn(log: readonly StoredEvent[], seq: number, throughSeq: number): StoredEvent[] {
  return log
    .slice(Math.max(0, seq - 1), throughSeq)
    .filter((event) => isRedactable(event) && !isUserData(event));
}

/** Returns the targets and all events that repeat them. For a range, leaves out those redacted already. */
export function eventsToRedact(
  log: readonly StoredEvent[],
  targets: readonly StoredEvent[],
  isRange: boolean,
): StoredEvent[] {
  const found = new Set(targets.flatMap((target) => eventsRepeating(log, target)));
  const already = isRange ? redactedIn(log) : new Set<number>();
  return log.filter((event) => found.has(event) && !already.has(event.seq));
}

export function redactedIn(log: readonly StoredEvent[]): ReadonlySet<number> {
  return new Set(log.flatMap((event) => (event.type === "redaction" ? [event.data.seq] : [])));
}

const TARGETS: readonly string[] = [...contextTypes, "checkpoint", "prefix", "spending", "run_ended"];

/** Returns the event and all events that repeat its content; an empty list if it cannot be redacted. */
function eventsRepeating(log: readonly StoredEvent[], target: StoredEvent): StoredEvent[] {
  // Core does not know what else repeats an application's event.
  if (isOwn(target)) return [target];
  const question = hookQuestionOf(log, target);
  if (!TARGETS.includes(target.type) && question === undefined) return [];
  if (target.type === "spending") return isRedactable(target) ? [target] : [];
  // Effects repeat the stop reason of their run.
  if (target.type === "run_ended") return log.filter((event) => endedRunOf(event) === target.data.run_id);
  if (isUserData(target)) return log.filter(isUserData);
  if (question !== undefined)
    return log.filter((event) => callIdOf(event) === question && isRedactable(event));
  const calls = new Set(callsOf(target));
  const answeredCalls = new Set(
    log.flatMap((event) => (event.type === "tool_answered" ? [callIdOf(event)] : [])),
  );
  const begunCalls = new Set(log.flatMap((event) => (BEGUN.includes(event.type) ? [callIdOf(event)] : [])));
  return log.filter((event) => {
    if (event === target) return true;
    if (isOutputOf(event, target) || isOutputOf(target, event)) return true;
    const call = callIdOf(event);
    if (call === undefined || !calls.has(call)) return false;
    if (isOwn(event)) return true;
    // A result repeats the answer to its question. That answer may have changed the call's input.
    if (target.type !== "assistant_message")
      return event.type === "tool_answered" || (answeredCalls.has(call) && tellsEdit(event));
    if (tellsEdit(event)) return true;
    // The result of a call that never began is an error, which may quote the call's input.
    if (event.type === "tool_result") return !begunCalls.has(call);
    return event.type === "tool_call" || event.type === "tool_suspended";
  });
}

/** Returns whether the event has the input of a call, as hooks have changed it. */
function tellsEdit({ type, data }: StoredEvent): boolean {
  if (type === "note") return data.call_id !== undefined;
  return (type === "tool_started" || type === "tool_suspended") && data.input !== undefined;
}

/** Returns whether the application has made the event: an extension's event, or an emitted part. */
function isOwn(event: StoredEvent): boolean {
  return isExtension(event) || event.type === "data_part";
}

/** Returns the `call_id` of a hook's question about the run, if the event asks or answers one. */
function hookQuestionOf(log: readonly StoredEvent[], target: StoredEvent): string | undefined {
  if (target.type !== "tool_suspended" && target.type !== "tool_answered") return undefined;
  const question = log.find(
    (event) =>
      event.type === "tool_suspended" &&
      callIdOf(event) === callIdOf(target) &&
      event.data.before !== undefined,
  );
  return question && callIdOf(question);
}

/** Returns the id of the run whose stop reason the event has; `undefined` for other events. */
export function endedRunOf(event: StoredEvent): string | undefined {
  return event.type === "run_ended" || event.type === "effect_started" ? event.data.run_id : undefined;
}

/** Returns whether the event is the `output` that this model's answer gave, valid or not. */
function isOutputOf(event: StoredEvent, answer: StoredEvent): boolean {
  if (event.type !== "output" || answer.type !== "assistant_message") return false;
  return event.data.attempt === answer.data.attempt;
}

const BEGUN: readonly string[] = ["tool_started", "tool_suspended"];

/**
 * Returns whether the event may have user data: a `prefix`, whose system prompt has them, or a `knowledge`
 * event with changed user data.
 */
export function isUserData(event: StoredEvent): boolean {
  return event.type === "prefix" || (event.type === "knowledge" && event.data.source === USER_DATA);
}

export function callIdOf({ data }: StoredEvent): string | undefined {
  const { call_id } = Object(data) as { call_id?: unknown };
  return typeof call_id === "string" ? call_id : undefined;
}

/** Returns the ids of the calls in a model's answer, or of the call that a result or a note belongs to. */
export function callsOf(target: StoredEvent): string[] {
  if (target.type === "tool_result") return [target.data.call_id];
  if (target.type === "note") return target.data.call_id === undefined ? [] : [target.data.call_id];
  return target.type === "assistant_message" ? target.data.content.filter(isToolUse).map(({ id }) => id) : [];
}
