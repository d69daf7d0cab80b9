import { isFailed, type Json, type StopType } from "@pawl/core";
import { outputPartOf, type ViewMessage, type ViewState } from "@pawl/core/view";
import { hasResult } from "../base/answers.ts";
import { answerOf, isOutcome } from "../base/outcomes.ts";
import { activitiesOf, inThread } from "./ag-ui-activities.ts";
import { threadInput } from "./ag-ui-call-input.ts";
import { isFrontendCall } from "./ag-ui-frontend-tools.ts";
import { interrupt } from "./ag-ui-interrupt.ts";
import type { AgUiMessage } from "./ag-ui-message.ts";

/**
 * Returns a session as `{ threadId, messages, pendingInterrupts }`, and with `state` if its last run has an
 * output. On the page, pass them to `new HttpAgent({ threadId, initialMessages: messages, initialState: state
 * })`, and set `agent.pendingInterrupts`.
 */
export function agUiHistory(view: ViewState, threadId: string): object {
  const output = outputOf(view);
  const state = output !== undefined && { state: { output } };
  const asked = view.pending.filter((question) => !isFrontendCall(question));
  // The version of this client is unknown.
  const pendingInterrupts = asked.map((question) => interrupt(question, false));
  return { threadId, messages: agUiMessages(view), pendingInterrupts, ...state };
}

/** Returns the output of the session's last run, if that run has one. */
export function outputOf(view: ViewState): Json | undefined {
  const part = outputPartOf(view);
  return part === undefined || part.open ? undefined : part.value;
}

/** Returns a session's messages in AG-UI's format and in the order in which a client receives them. */
export function agUiMessages(view: ViewState): AgUiMessage[] {
  return view.messages.flatMap((message) =>
    message.role === "user"
      ? [{ id: message.id, role: "user", content: contentOfUser(message) }]
      : answersOf(message, view),
  );
}

/** Returns a text, or parts if the message has files. Both versions of AG-UI know these types of parts. */
function contentOfUser({ text, parts }: ViewMessage): string | object[] {
  const files = parts.filter((part) => part.type === "file");
  if (files.length === 0) return text;
  const media = files.map(({ mediaType: mimeType, url: value = "", name }) => ({
    type: mimeType.startsWith("image/") ? "image" : "document",
    source: { type: "url", value, mimeType },
    ...(name !== undefined && { metadata: { filename: name } }),
  }));
  return [...media, ...(text === "" ? [] : [{ type: "text", text }])];
}

/**
 * Converts each answer of the model to messages: its thinking, its text with its calls, and the calls'
 * results.
 */
function answersOf(message: ViewMessage, view: ViewState): AgUiMessage[] {
  const parts = message.parts.map((part) => inThread(part, message));
  const notices = parts.flatMap((part) =>
    part.type === "notice" && isShown(part.stop)
      ? [{ id: noticeId(part.key), role: "assistant", content: part.text }]
      : [],
  );
  const attempts = Map.groupBy(
    parts.filter(({ type }) => type !== "notice" && type !== "left_out"),
    answerOf,
  );
  const answers = [...attempts].flatMap(([attempt, all]) => {
    const thoughts = all.flatMap((part) =>
      part.type === "thinking" ? [{ id: thoughtId(part.key), role: "reasoning", content: part.text }] : [],
    );
    const text = all.map((part) => (part.type === "text" ? part.text : "")).join("");
    // A message of calls alone has no name on an open page either.
    const name = all.find(({ type }) => type === "text")?.role;
    const calls = all.filter((part) => part.type === "tool");
    const toolCalls = calls.map((call) => ({
      id: call.callId,
      type: "function",
      function: { name: call.toolName, arguments: JSON.stringify(threadInput(call, view)) },
    }));
    // In the order in which an open page gets them: citations first, once the text is complete.
    const activities = [
      ...all.filter(({ type }) => type === "text").flatMap(activitiesOf),
      ...all.filter(isOutcome).flatMap(activitiesOf),
    ];
    const isEmpty = text === "" && toolCalls.length === 0;
    const answer = {
      id: answerId(attempt),
      role: "assistant",
      ...(name !== undefined && { name }),
      ...(text !== "" && { content: text }),
      ...(toolCalls.length > 0 && { toolCalls }),
    };
    // A client places results after their calls, in order of arrival.
    const inOrder = calls.toSorted((one, other) => (one.resultSeq ?? 0) - (other.resultSeq ?? 0));
    const results = inOrder.filter(hasResult).map(({ callId: toolCallId, result }) => ({
      ...{ id: resultId(toolCallId), role: "tool", toolCallId },
      content: contentOf(result ?? null),
    }));
    return [...thoughts, ...(isEmpty ? [] : [answer]), ...results, ...activities];
  });
  return [...answers, ...notices];
}

/**
 * Returns whether a run that ended for this reason gets a message that explains its end. Failures are sent as
 * RUN_ERROR, and a user who stopped a run needs no explanation.
 */
export function isShown(stop: StopType): boolean {
  return !QUIET.includes(stop) && !isFailed({ type: stop });
}

const QUIET: readonly StopType[] = ["end_turn", "terminal_tool", "suspended", "interrupted", "aborted"];

/**
 * Returns the id of the message that explains a run's end. `key` is the run's id, or the key of its notice.
 */
export function noticeId(key: string): string {
  return `notice-${key.replace(/^end:/, "")}`;
}

/** Returns the id of an answer's message. `attempt` is the `seq` of the answer's `llm_request`. */
export function answerId(attempt: string | number): string {
  return `answer-${attempt}`;
}

export function thoughtId(key: string): string {
  return `thought-${key}`;
}

export function resultId(callId: string): string {
  return `result-${callId}`;
}

/** Returns a result as text: strings unchanged, and anything else as JSON. */
export function contentOf(result: Json): string {
  return typeof result === "string" ? result : JSON.stringify(result);
}
