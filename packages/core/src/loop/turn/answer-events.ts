import type { JsonObject } from "../../base/json.ts";
import { centsFromUsd } from "../../base/usd.ts";
import type { NewEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import { tokensOf } from "../../log/tokens.ts";
import { type ContentBlock, isToolUse } from "../../model/content.ts";
import { costUsd } from "../../model/pricing.ts";
import { contentOf, type Reply } from "../../model/reply.ts";
import { usageSoFar } from "../../model/usage-so-far.ts";
import type { Attempt } from "../leg/attempt.ts";

/**
 * Returns the event that stores an answer. `usable` is `false` if the answer has a problem or is incomplete.
 * `content` replaces the model's content. `output` is the place of the run's output in the answer.
 */
export function assistantMessage(
  { answer, seq }: Attempt,
  usable: boolean,
  content: readonly ContentBlock[] = contentOf(answer),
  output?: "text" | "call",
): NewEvent {
  return {
    type: "assistant_message",
    data: {
      content: [...content],
      disposition: dispositionOf(answer, usable),
      stop_reason: answer.stopReason,
      attempt: seq,
      complete: Math.min(content.length, answer.blocks.filter(({ complete }) => complete).length),
      ...(output !== undefined && { output }),
    },
  };
}

/**
 * Decides how much of an answer later requests repeat.
 *
 * - `kept`: all of an answer that stopped to call tools, or that made no call and was completed or paused.
 * - `discarded`: nothing of a refusal.
 * - `partial`: the usable part of any other answer.
 */
function dispositionOf(answer: Reply, usable: boolean): EventData["assistant_message"]["disposition"] {
  if (answer.stopReason === "refusal") return "discarded";
  if (!usable) return "partial";
  if (answer.stopReason === "tool_use") return "kept";
  const isCompletedOrPaused = answer.stopReason === "end_turn" || answer.stopReason === "pause_turn";
  const isWhole = isCompletedOrPaused && !answer.blocks.some(({ block }) => isToolUse(block));
  return isWhole ? "kept" : "partial";
}

/**
 * Returns a list with the event that charges an attempt, with its duration until `now`. The list is empty if
 * no answer began.
 */
export function llmResponse(attempt: Attempt, now: number): NewEvent[] {
  const { seq, pricing, startedAt } = attempt;
  // What hooks hold back or remove has been paid for, too.
  const answer = attempt.gate?.received ?? attempt.answer;
  if (!answer.begun && !answer.finished) return [];
  const { estimated_tokens: estimatedTokens, params } = attempt.request;
  const { estimateTokens } = attempt;
  const usage = usageSoFar(answer, { estimatedTokens, maxTokens: params.max_tokens, estimateTokens });
  return [
    {
      type: "llm_response",
      durationMs: Math.max(0, now - startedAt),
      data: {
        raw_response: {
          id: answer.id,
          model: answer.model,
          stop_reason: answer.stopReason,
          stop_sequence: answer.stopSequence,
          usage: answer.usage as JsonObject,
        },
        tokens: tokensOf(usage),
        cost_cents: pricing === undefined ? 0 : centsFromUsd(costUsd(usage, pricing)),
        attempt: seq,
        ...(answer.requestId !== undefined && { request_id: answer.requestId }),
      },
    },
  ];
}
