import { type Answer, canonicalJson, type JsonObject, PawlError, toJson } from "@pawl/core";
import type { ViewState } from "@pawl/core/view";
import { awaitedAnswers, callsIn, failedAnswer, isApproval, isOver } from "../base/answers.ts";
import { contentOf, resultId } from "./ag-ui-messages.ts";

/** A call's result that the client sends as a message. */
export interface ToolMessage {
  callId: string;
  content: string;
  /** Why the client's tool failed. */
  error?: string;
}

/**
 * Returns the new tool messages at the end of the thread. Leaves out the server's own results and answers
 * that were sent again.
 */
export function toolMessages(messages: readonly JsonObject[], view: ViewState): ToolMessage[] {
  const after = messages.findLastIndex(({ role }) => role !== "tool");
  const isResult = resultsIn(view);
  return messages.slice(after + 1).flatMap(({ id, toolCallId: callId, content, error }) => {
    if (typeof callId !== "string" || typeof content !== "string") return [];
    const isKnown = id === resultId(callId) || isResult(callId, content);
    return isKnown ? [] : [{ callId, content, ...(typeof error === "string" && { error }) }];
  });
}

/**
 * Returns a function that returns whether a text is the result of a call. JSON may be written differently.
 * Each result is made text once.
 */
function resultsIn({ messages }: ViewState): (callId: string, content: string) => boolean {
  const parts = messages.flatMap((message) => message.parts);
  const calls = new Map(
    parts.flatMap((part) => (part.type === "tool" ? [[part.callId, part] as const] : [])),
  );
  const texts = new Map<string, string>();
  const canonical = new Map<string, string | undefined>();
  return (callId, content) => {
    const call = calls.get(callId);
    if (call === undefined || !isOver(call.phase)) return false;
    const text = texts.get(callId) ?? contentOf(call.result ?? null);
    texts.set(callId, text);
    if (text === content) return true;
    if (!canonical.has(callId)) canonical.set(callId, canonicalOf(text));
    const form = canonical.get(callId);
    return form !== undefined && form === canonicalOf(content);
  };
}

/** Returns a JSON text in one form; `undefined` if the text is not JSON. */
function canonicalOf(text: string): string | undefined {
  try {
    return canonicalJson(toJson(JSON.parse(text)));
  } catch {
    return undefined;
  }
}

/**
 * Returns the answers in tool messages. Refuses an answer to an approval: clients also send a tool message
 * for any frontend tool of the same name, so approvals need the question's id, which only `resume` has.
 *
 * @throws PawlError `invalid_answer`, `already_answered` or `unknown_call`.
 */
export function toolAnswers(results: readonly ToolMessage[], view: ViewState): Answer[] {
  const isAsked =
    (isFor: typeof isApproval) =>
    ({ callId }: ToolMessage) =>
      view.pending.some((question) => question.callId === callId && isFor(question));
  if (results.some(isAsked(isApproval)) && !results.some(isAsked((question) => !isApproval(question)))) {
    throw new PawlError("invalid_answer", APPROVAL);
  }
  const calls = callsIn(view);
  if (!results.some(isAsked(() => true)) && results.every(({ callId }) => calls.has(callId))) {
    throw new PawlError("already_answered", CLOSED);
  }
  const fits = (question: { kind: string }) => !isApproval(question);
  return awaitedAnswers(
    view,
    results.map(({ callId, content, error }) =>
      error === undefined
        ? { callId, value: content, isText: true, fits }
        : { ...failedAnswer(callId, error), fits },
    ),
  );
}

/** The error text for an answer to a question that is no longer open. */
export const CLOSED =
  "This question is no longer open: it has been answered or has expired, or a message or a stop has closed it.";

const APPROVAL =
  "A tool message cannot approve a call. Send `resume` with the interrupt's id and the payload { approved: true } or { approved: false }.";
