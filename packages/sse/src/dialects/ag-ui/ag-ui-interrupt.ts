import type { Question } from "@pawl/core";
import { isApproval } from "../base/answers.ts";
import { questionId } from "../base/question-id.ts";

/**
 * Returns a question as an AG-UI interrupt. The interrupt's id is `q` and the question's `seq`, e.g. `q12`.
 *
 * @param isOne whether the client has declared AG-UI 1.0 or later
 * @param subagentRunId the sub-agent that asks, if the stream has told of one
 */
// A client before 1.0 sends nothing more once an interrupt has expired, not even a message that cancels it.
export function interrupt(question: Question, isOne: boolean, subagentRunId?: string): object {
  const { callId: toolCallId, seq, kind, payload, answerSchema, expires, clientTool, changed } = question;
  return {
    id: questionId(seq),
    reason: isApproval(question) ? "confirmation" : "input_required",
    toolCallId,
    ...(subagentRunId !== undefined && { subagentRunId }),
    responseSchema: answerSchema,
    ...(expires !== undefined && isOne && { expiresAt: expires.at }),
    metadata: {
      kind,
      payload,
      ...(expires !== undefined && { expiresAt: expires.at }),
      ...(clientTool !== undefined && { clientTool }),
      ...(changed && { changed }),
    },
  };
}
