import type { Question } from "@pawl/core";
import { isApproval } from "../base/answers.ts";
import { questionId } from "../base/question-id.ts";

/** A question as an interrupt. Its id is `q` and the `seq` that `GET /sessions/:id` has in `pending`. */
export function interrupt(question: Question): object {
  const { callId: toolCallId, seq, kind, payload, answerSchema, expiresAt } = question;
  return {
    id: questionId(seq),
    reason: isApproval(question) ? "confirmation" : "input_required",
    toolCallId,
    responseSchema: answerSchema,
    ...(expiresAt !== undefined && { expiresAt }),
    metadata: { kind, payload },
  };
}
