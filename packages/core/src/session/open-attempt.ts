import type { StoredOf } from "../events/event.ts";
import type { AnswerLimit } from "../stop/room.ts";

/** An `llm_request` that has no answer yet. Its estimates are charged if the answer is lost. */
export interface OpenAttempt {
  /** `seq` of the `llm_request`. */
  seq: number;
  estimatedTokens: number;
  estimatedCostCents: number;
  tools?: readonly string[];
  limitedBy?: AnswerLimit;
}

export function openAttempt({ seq, data }: StoredOf<"llm_request">): OpenAttempt {
  const { estimated_tokens: estimatedTokens, estimated_cost_cents: estimatedCostCents = 0 } = data;
  const { limited_by: limitedBy, params } = data;
  return {
    seq,
    estimatedTokens,
    estimatedCostCents,
    ...(params.tools && { tools: params.tools }),
    ...(limitedBy && { limitedBy }),
  };
}
