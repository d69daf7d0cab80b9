import type { ViewMessage, ViewState } from "@pawl/core/view";
import { dataFrame } from "../base/dialect.ts";
import type { AgUiMessage } from "./ag-ui-message.ts";
import { agUiMessages } from "./ag-ui-messages.ts";
import type { AgUiEvent } from "./ag-ui-outcome.ts";

/**
 * Returns a snapshot of all messages. `written` is placed after the view's messages and before queued ones.
 */
export function snapshot(view: ViewState, written: readonly AgUiMessage[] = []): AgUiEvent {
  const waiting = { ...view, messages: view.messages.filter(isQueued) };
  const messages = [...agUiMessages(withoutQueued(view)), ...written, ...agUiMessages(waiting)];
  return { type: "MESSAGES_SNAPSHOT", messages };
}

/**
 * Returns two snapshots: one without the queued messages, and one that adds them at the end. Clients keep the
 * order of their messages and append new ones.
 */
export function inOrder(view: ViewState): AgUiEvent[] {
  return [snapshot(withoutQueued(view)), snapshot(view)];
}

/**
 * Returns two snapshots that replace all messages since `before`. Clients keep the order of their messages
 * and append new ones. So the first snapshot removes the messages, and the second one adds them in the
 * session's order. Clients keep their own thinking and activities unless a snapshot has some, so the first
 * one has a placeholder of each role that it lacks.
 *
 * @param whole the second snapshot
 */
export function replacing(before: ViewState, whole: AgUiEvent): AgUiEvent[] {
  const lacks = placeholders(agUiMessages(before), whole.messages as readonly AgUiMessage[]);
  return [snapshot(before, lacks), whole];
}

function placeholders(kept: readonly AgUiMessage[], all: readonly AgUiMessage[]): AgUiMessage[] {
  const has = (messages: readonly AgUiMessage[], role: string) => messages.some((one) => one.role === role);
  return PLACEHOLDERS.filter(({ role }) => !has(kept, role) && has(all, role));
}

const PLACEHOLDERS: readonly AgUiMessage[] = [
  { id: "none", role: "reasoning", content: "" },
  { id: "no-activity", role: "activity", activityType: "none", content: {} },
];

export function isQueued({ queued }: ViewMessage): boolean {
  return queued === true;
}

export function withoutQueued(view: ViewState): ViewState {
  return { ...view, messages: view.messages.filter((message) => !isQueued(message)) };
}

/**
 * Returns a function that makes frames of a stream's events. Sends no call and no result that the client has
 * from a snapshot: clients append the arguments of a call, and show a result twice. A snapshot has the user's
 * answer as a result, so the result of that call is sent by snapshots, too.
 *
 * @param before the view from which the client has its messages
 * @param now returns a snapshot of the session after the last event
 */
export function framesOf(
  before: ViewState,
  now: () => AgUiEvent,
): (events: readonly AgUiEvent[]) => string[] {
  let calls = new Set<unknown>();
  let results = idsIn(agUiMessages(before)).results;
  const frame = (event: AgUiEvent): string[] => {
    const { type, messages, messageId, toolCallId } = event;
    if (type === "MESSAGES_SNAPSHOT") ({ calls, results } = idsIn(messages as readonly AgUiMessage[]));
    if (type === "TOOL_CALL_RESULT" && results.has(messageId)) return since(toolCallId, now()).flatMap(frame);
    return CALL.includes(type) && calls.has(toolCallId) ? [] : [dataFrame(event)];
  };
  return (events) => events.flatMap(frame);
}

const CALL: readonly string[] = ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"];

/** Returns snapshots that replace all messages from that of a call on, see `replacing`. */
function since(callId: unknown, whole: AgUiEvent): AgUiEvent[] {
  const all = whole.messages as readonly AgUiMessage[];
  const kept = all.slice(
    0,
    all.findIndex((message) => idsIn([message]).calls.has(callId)),
  );
  return [{ ...whole, messages: [...kept, ...placeholders(kept, all)] }, whole];
}

/** Returns the ids of the calls in these messages, and of the messages with their results. */
function idsIn(messages: readonly AgUiMessage[]): { calls: Set<unknown>; results: Set<unknown> } {
  const callsOf = ({ toolCalls }: AgUiMessage) => (toolCalls ?? []) as readonly { id: string }[];
  const results = messages.filter(({ role }) => role === "tool");
  return {
    calls: new Set(messages.flatMap(callsOf).map(({ id }) => id)),
    results: new Set(results.map(({ id }) => id)),
  };
}
