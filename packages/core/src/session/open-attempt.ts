import { centsFromUsd, usdFromCents } from "../base/usd.ts";
import type { AnswerLimit } from "../log/budget.ts";
import type { NewEvent, StoredOf } from "../log/event.ts";
import { answerLimitOf } from "../log/stored-budget.ts";
import { tokensOf } from "../log/tokens.ts";
import { noUsage } from "../model/pricing.ts";

/** An `llm_request` that has no answer yet. Its estimates are charged if the answer is lost. */
export interface OpenAttempt {
  /** `seq` of the `llm_request`. */
  seq: number;
  model: string;
  estimatedTokens: number;
  /** The length of the prompt in characters; absent in logs of earlier versions. */
  chars?: number;
  estimatedCostUsd: number;
  tools?: readonly string[];
  limitedBy?: AnswerLimit;
}

/** Returns the open attempt of an `llm_request`. */
export function openAttempt({ seq, data }: StoredOf<"llm_request">): OpenAttempt {
  const { estimated_tokens: estimatedTokens, estimated_cost_cents: estimatedCents = 0 } = data;
  const { limited_by: limitedBy, params, chars } = data;
  return {
    seq,
    model: data.model,
    estimatedTokens,
    ...(chars !== undefined && { chars }),
    estimatedCostUsd: usdFromCents(estimatedCents),
    ...(params.tools && { tools: params.tools }),
    ...(limitedBy && { limitedBy: answerLimitOf(limitedBy) }),
  };
}

/**
 * Returns the `spending` event for a request whose answer was lost: the estimated tokens and cost of its
 * prompt. The provider has probably charged for the request.
 */
export function lostAnswer({ seq, model, estimatedTokens, estimatedCostUsd }: OpenAttempt): NewEvent {
  const tokens = tokensOf({ ...noUsage, inputTokens: estimatedTokens });
  return {
    type: "spending",
    data: { by: "lost_answer", model, tokens, cost_cents: centsFromUsd(estimatedCostUsd), attempt: seq },
  };
}
