import type { Json, Question } from "@pawl/core";
import type { ViewPart } from "@pawl/core/view";
import { hasResult, isApproval } from "../base/answers.ts";
import type { ApprovalRecord, ThreadFacts } from "../base/facts.ts";
import { questionId } from "../base/question-id.ts";
import type { UiPart } from "./ui-part.ts";

type ToolPart = ViewPart & { type: "tool" };

/** Returns a call in the AI SDK's format. `pending` are the questions that are open. */
export function toolPart(part: ToolPart, pending: readonly Question[], facts: ThreadFacts): UiPart {
  const { callId: toolCallId, toolName, arguments: input, phase, result } = part;
  const mark = callMark(facts.approvals.get(toolCallId), lastAsked(part));
  const call = { type: `tool-${toolName}`, toolCallId, input, providerExecuted: true, ...mark };
  const question = pending.find(({ callId }) => callId === toolCallId);
  if (question !== undefined) {
    const shown = { ...call, input: shownInput(question, input) };
    if (!isApproval(question)) return { ...shown, state: "input-available", providerExecuted: false };
    return { ...shown, state: "approval-requested", approval: { id: questionId(question.seq) } };
  }
  const answered = { ...call, ...approvalOf(toolCallId, facts) };
  if (phase !== "done" && phase !== "error") return { ...answered, state: "input-available" };
  const outcome = outcomeOf(toolCallId, facts);
  if (outcome === "denied") return { ...answered, state: "output-denied" };
  if (outcome !== undefined) return { ...answered, state: "output-error", errorText: outcome.error };
  const last = part.questions?.at(-1);
  // An approved call that has not run yet. The page has the answer to any other question as the output.
  if (last !== undefined && isApproval(last) && !hasResult(part))
    return { ...answered, state: "input-available" };
  if (phase === "error") return { ...answered, state: "output-error", errorText: String(result) };
  return { ...answered, state: "output-available", output: result ?? null };
}

function approvalOf(callId: string, { approvals }: ThreadFacts): { approval?: object } {
  const known = approvals.get(callId);
  if (known === undefined) return {};
  const { question, approved, reason } = known;
  return { approval: { id: questionId(question), approved, ...(reason !== undefined && { reason }) } };
}

/**
 * Returns the field of a call with the payload of its approval, and the `seq` of the last other question that
 * it has asked. Every version of the AI SDK keeps the field, and sends it back with an answer.
 */
export function callMark(
  approval: ApprovalRecord | undefined,
  question: number | undefined,
): { callProviderMetadata?: object } {
  if (approval === undefined && question === undefined) return {};
  const pawl = {
    ...(approval && { approval: approval.payload }),
    ...(question !== undefined && { question }),
  };
  return { callProviderMetadata: { pawl } };
}

/** Returns the `seq` of the last question of a call that is not for an approval. */
export function lastAsked({ questions = [] }: ToolPart): number | undefined {
  return questions.findLast((question) => !isApproval(question))?.seq;
}

/**
 * Returns the outcome of a call that the user did not approve: denied, or closed without an answer. Returns
 * `undefined` for any other call.
 */
export function outcomeOf(
  callId: string,
  { approvals, closed }: ThreadFacts,
): "denied" | { error: string } | undefined {
  if (approvals.get(callId)?.approved === false) return "denied";
  const error = closed.get(callId);
  return error === undefined ? undefined : { error: `Not answered: ${error}` };
}

/**
 * Returns the input to show for a call that asks the user. For an approval, this is the input that will run.
 * For other questions, it is the question's payload.
 */
export function shownInput(question: Question, made: Json): Json {
  const { payload } = question;
  if (!isApproval(question)) return payload;
  const isObject = payload !== null && typeof payload === "object" && !Array.isArray(payload);
  return isObject ? (payload.input ?? made) : made;
}
