import { type Json, type Question, REDACTED } from "@pawl/core";
import type { ToolPart, ViewQuestion } from "@pawl/core/view";
import { hasResult, isApproval, isOver } from "../base/answers.ts";
import { notAnswered } from "../base/known-answers.ts";
import { questionId } from "../base/question-id.ts";
import type { UiPart } from "./ui-part.ts";

/** Returns a call in the AI SDK's format. */
export function toolPart(part: ToolPart): UiPart {
  const { callId: toolCallId, toolName, arguments: written, phase, result } = part;
  const { input = written } = part;
  const call = { type: `tool-${toolName}`, toolCallId, input, providerExecuted: true, ...callMark(part) };
  const last = part.questions?.at(-1);
  if (last?.state === "open") {
    const shown = { ...call, input: shownInput(last, input) };
    if (!isApproval(last)) return { ...shown, state: "input-available", providerExecuted: false };
    return { ...shown, state: "approval-requested", approval: { id: questionId(last.seq) } };
  }
  const answered = { ...call, ...approvalOf(part) };
  if (!isOver(phase)) return { ...answered, state: "input-available" };
  const outcome = outcomeOf(part);
  if (outcome === "denied") return { ...answered, state: "output-denied" };
  if (outcome !== undefined) return { ...answered, state: "output-error", errorText: outcome.error };
  // An approved call that has not run yet. The page has the answer to any other question as the output.
  if (last !== undefined && isApproval(last) && !hasResult(part))
    return { ...answered, state: "input-available" };
  if (phase !== "done") return { ...answered, state: "output-error", errorText: errorTextOf(result) };
  return { ...answered, state: "output-available", output: result ?? null };
}

/** Returns the result of a failed or skipped call as text: a skipped call may have any result. */
export function errorTextOf(result: Json | undefined): string {
  return typeof result === "object" ? JSON.stringify(result) : String(result);
}

/** Returns the last approval that a call has asked for. A call may ask more once it is approved. */
function lastApproval({ questions = [] }: ToolPart): ViewQuestion | undefined {
  return questions.findLast(isApproval);
}

/**
 * Returns whether the user has approved a call. For an answer that an earlier version has redacted whole, the
 * call's outcome tells.
 */
function isApproved({ phase }: ToolPart, { value }: ViewQuestion): boolean {
  return value === REDACTED ? phase === "done" : Object(value).approved === true;
}

function approvalOf(part: ToolPart): { approval?: object } {
  const question = lastApproval(part);
  return question === undefined ? {} : { approval: { id: questionId(question.seq), ...decisionOf(part) } };
}

/** Returns what became of the last approval that a call has asked for; nothing while it is open. */
function decisionOf(part: ToolPart): { approved?: boolean; reason?: string } {
  const question = lastApproval(part);
  if (question === undefined || question.state === "open") return {};
  const { reason = question.reason } = Object(question.value);
  return { approved: isApproved(part, question), ...(typeof reason === "string" && { reason }) };
}

/**
 * Returns the field of a call with the payload of its approval and the decision, and the `seq` of the last
 * other question that it has asked. Every version of the AI SDK keeps the field, and sends it back with an
 * answer.
 */
// The decision is here because a stream cannot set `approved` and `reason` of a part in version 6. In 7 it
// can, but the server does not know which version a page has, and an unknown chunk ends the stream.
export function callMark(part: ToolPart): { callProviderMetadata?: object } {
  const approval = lastApproval(part);
  const other = part.questions?.findLast((question) => !isApproval(question));
  if (approval === undefined && other === undefined) return {};
  const asked = approval && { approval: approval.payload, ...decisionOf(part) };
  const pawl = { ...asked, ...(other && { question: other.seq }) };
  return { callProviderMetadata: { pawl } };
}

/**
 * Returns the outcome of a call that the user did not approve: denied, or closed without an answer. Returns
 * `undefined` for any other call.
 */
export function outcomeOf(part: ToolPart): "denied" | { error: string } | undefined {
  const approval = lastApproval(part);
  if (approval !== undefined && !isApproved(part, approval)) return "denied";
  const last = part.questions?.at(-1);
  const error = last && notAnswered(last);
  return error === undefined ? undefined : { error };
}

/**
 * Returns the input to show for a call that asks the user. For an approval, this is the input that will run.
 * For other questions, it is the question's payload.
 */
export function shownInput(question: Pick<Question, "kind" | "payload">, made: Json): Json {
  const { payload } = question;
  if (!isApproval(question)) return payload;
  const isObject = payload !== null && typeof payload === "object" && !Array.isArray(payload);
  return isObject ? (payload.input ?? made) : made;
}
