import type { Question } from "@pawl/core";
import { isApproval } from "../base/answers.ts";
import { questionId } from "../base/question-id.ts";

/**
 * Returns a question as an AG-UI interrupt. The interrupt's id is `q` and the question's `seq`, e.g. `q12`.
 */
export function interrupt(question: Question): object {
  const { callId: toolCallId, seq, kind, payload, answerSchema, expires, clientTool, changed } = question;
  return {
    id: questionId(seq),
    reason: isApproval(question) ? "confirmation" : "input_required",
    toolCallId,
    responseSchema: answerSchema,
    ...(expires !== undefined && { expiresAt: expires.at }),
    metadata: {
      kind,
      payload,
      ...(clientTool !== undefined && { clientTool }),
      ...(changed && { changed }),
    },
  };
}
