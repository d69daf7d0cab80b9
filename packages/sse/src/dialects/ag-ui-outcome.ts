import type { Suspension, TokenUsage } from "@pawl/core";
import { isApproval } from "./answers.ts";
import { questionId } from "./question-id.ts";
import type { Telling } from "./telling.ts";

/** An event of AG-UI. */
export type AgUiEvent = { readonly type: string; readonly [field: string]: unknown };

/** How a run has come to rest; `run` names it as its client does. `isOne`: the client has declared AG-UI 1.0. */
export function lastEvent({ rest }: Pick<Telling, "rest">, run: object, isOne: boolean): AgUiEvent {
  const finished = { type: "RUN_FINISHED", ...run };
  const success = { ...finished, ...(isOne && { outcome: { type: "success" } }) };
  if (rest === undefined) return success;
  if (rest.type === "suspended") {
    return { ...finished, outcome: { type: "interrupt", interrupts: rest.pending.map(interrupt) } };
  }
  const { stop, session_status, tokens } = rest.event.data;
  const usage = usageOf(tokens);
  if (session_status === "error") return { type: "RUN_ERROR", message: stop.message, code: stop.type, usage };
  if (stop.type === "aborted" && isOne) return { ...finished, outcome: { type: "cancelled" }, usage };
  return { ...success, usage };
}

function interrupt(question: Suspension): object {
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

/** Input and output are totals here; the rest are parts of them. */
function usageOf({ prompt, completion, cached, cache_write, total }: TokenUsage): object[] {
  return [
    {
      inputTokens: prompt + cached + cache_write,
      outputTokens: completion,
      totalTokens: total,
      cachedInputTokens: cached,
      cacheWriteInputTokens: cache_write,
    },
  ];
}
