import { type JsonObject, PawlError, type Question, toJson } from "@pawl/core";
import { failedAnswer, isApproval, type SaidAnswer } from "../base/answers.ts";
import { questionOf } from "../base/question-id.ts";

/**
 * Returns the user's answer in a part of an assistant message. Calls that ran on the server have no answer.
 */
export function answerIn(part: JsonObject): SaidAnswer[] {
  const { toolCallId: callId, state, approval, providerExecuted } = part;
  if (!isTool(part) || typeof callId !== "string") return [];
  if (state === "approval-responded") return approvalIn(callId, approval);
  if (providerExecuted === true) return [];
  const fits = (question: { kind: string }) => !isApproval(question);
  // Pages that have loaded the call from an earlier version have no mark, and answer its last question.
  const asked = { fits, ...questionIn(part) };
  if (state === "output-available") return [{ callId, value: toJson(part.output ?? null), ...asked }];
  if (state === "output-error") return [{ ...failedAnswer(callId, part.errorText), ...asked }];
  return [];
}

/** Returns the `seq` of the question that a page answers, see `callMark`. */
function questionIn({ callProviderMetadata }: JsonObject): { question?: number } {
  const { question } = Object(Object(callProviderMetadata).pawl);
  return Number.isSafeInteger(question) ? { question } : {};
}

export function isTool({ type }: JsonObject): boolean {
  return typeof type === "string" && (type.startsWith("tool-") || type === "dynamic-tool");
}

function approvalIn(callId: string, approval: unknown): SaidAnswer[] {
  if (approval === null || typeof approval !== "object") return [];
  const { id: name, approved, reason } = approval as JsonObject;
  const question = questionOf(name);
  if (question === undefined || typeof approved !== "boolean") return [];
  const value = { approved, ...(typeof reason === "string" && { reason }) };
  return [{ callId, value, question, fits: isApproval }];
}

/** Returns a function that tells whether an answer is one to an open question. */
export function answersOneOf(pending: readonly Question[]): (said: SaidAnswer) => boolean {
  return ({ callId, fits }) => pending.some((open) => open.callId === callId && fits?.(open) !== false);
}

/**
 * Refuses a tool's output for an approval, and an approval for another question: the question is still open.
 *
 * @throws PawlError `invalid_answer`.
 */
export function refuseOtherForm(pending: readonly Question[], parts: readonly JsonObject[]): void {
  for (const part of parts) {
    const { toolCallId, state, approval } = part;
    const open = pending.find(({ callId }) => callId === toolCallId);
    // What the page has of an earlier question of the call is no answer to this one.
    if (open === undefined || (questionIn(part).question ?? open.seq) !== open.seq) continue;
    if (isApproval(open) && (state === "output-available" || state === "output-error"))
      throw new PawlError("invalid_answer", APPROVAL);
    const isApproved = state === "approval-responded" && questionOf(Object(approval).id) === open.seq;
    if (isApproved && !isApproval(open)) throw new PawlError("invalid_answer", OUTPUT);
  }
}

const APPROVAL =
  "This call waits for an approval, and a tool's output cannot approve it. Call addToolApprovalResponse({ id: part.approval.id, approved }).";

const OUTPUT =
  "This call waits for an answer, and an approval is not one. Call addToolOutput({ tool, toolCallId, output }).";
