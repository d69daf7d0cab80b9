import { buildRequest, estimateTokens } from "../context/build-request.ts";
import { causeOf, messageOf, PawlError } from "../errors.ts";
import type { EventData, NewEvent } from "../events/event.ts";
import type { JsonObject } from "../json.ts";
import type { Leg } from "../leg.ts";
import { tokensOf, usageFromWire } from "../session/tokens.ts";
import type { StopReason } from "../stop/stop-reason.ts";
import { type Answer, contentOf, newAnswer, takeEvent } from "./accumulate.ts";
import { toolCallsOf } from "./calls.ts";
import { isToolUse } from "./content.ts";
import type { Usage } from "./model-client.ts";
import { costMicroUsd } from "./pricing.ts";

/**
 * One model call: request, stream, answer. The answer, its calls and its usage are stored in one append. Resolves to
 * a stop reason if the call failed for good; then the log already says why.
 */
export async function modelTurn(leg: Leg): Promise<StopReason | undefined> {
  const { request, event } = await buildRequest(leg.log.state, leg.agent);
  const [stored] = await leg.log.append([{ type: "llm_request", data: event }]);
  const attempt = stored?.seq ?? 0;
  const startedAt = leg.now();
  const answer = newAnswer();
  leg.live.attempt = attempt;
  leg.live.parts = answer.parts;
  try {
    leg.signal.throwIfAborted();
    for await (const part of leg.agent.model.stream(request, { signal: leg.signal })) {
      leg.signal.throwIfAborted();
      takeEvent(answer, part);
      if (part.type === "content_block_delta") leg.touch();
    }
    if (!answer.finished) throw cutStream();
  } catch (cause) {
    return await failedTurn(leg, answer, attempt, leg.now() - startedAt, cause);
  }
  const { calls, breach } = toolCallsOf(answer, leg.log.state);
  const events: NewEvent[] = [
    assistantMessage(answer, attempt, breach === undefined),
    ...calls.map((data): NewEvent => ({ type: "tool_call", data })),
    llmResponse(leg, answer, attempt, leg.now() - startedAt),
  ];
  if (breach === undefined) {
    await leg.log.append(events);
    return undefined;
  }
  await leg.fail({ code: "contract_violation", message: breach, context: { attempt } }, events);
  return { type: "error", message: "The model's answer could not be used. Please try again." };
}

function cutStream(): PawlError {
  return new PawlError("model_error", "The model's answer broke off.", { details: { retryable: true } });
}

/** Keeps what came in before an abort or a failure, counts what was counted, and logs the failure. */
async function failedTurn(
  leg: Leg,
  answer: Answer,
  attempt: number,
  durationMs: number,
  cause: unknown,
): Promise<StopReason | undefined> {
  const kept: NewEvent[] =
    answer.blocks.length === 0
      ? []
      : [{ ...assistantMessage({ ...answer, stopReason: null }, attempt, false) }];
  if (answer.id !== null) kept.push(llmResponse(leg, answer, attempt, durationMs));
  if (leg.signal.aborted) {
    if (leg.lost) throw cause;
    if (kept.length > 0) await leg.log.append(kept);
    return undefined;
  }
  const details = PawlError.is(cause, "model_error") ? (cause.details as JsonObject) : {};
  await leg.fail(
    {
      code: "model_error",
      message: messageOf(cause),
      context: { attempt, ...details, cause: causeOf(cause) },
    },
    kept,
  );
  return { type: "error", message: "The model could not be reached. Please try again." };
}

function assistantMessage(answer: Answer, attempt: number, usable: boolean): NewEvent {
  return {
    type: "assistant_message",
    data: {
      content: contentOf(answer),
      disposition: dispositionOf(answer, usable),
      stop_reason: answer.stopReason,
      attempt,
      complete: answer.blocks.filter(({ complete }) => complete).length,
    },
  };
}

/**
 * Only an answer that came to its own end is echoed whole, and with calls only if it stopped for them. A refused one is
 * never sent again.
 */
function dispositionOf(answer: Answer, usable: boolean): EventData["assistant_message"]["disposition"] {
  if (answer.stopReason === "refusal") return "discarded";
  if (!usable) return "partial";
  if (answer.stopReason === "tool_use") return "kept";
  const whole = answer.stopReason === "end_turn" && !answer.blocks.some(({ block }) => isToolUse(block));
  return whole ? "kept" : "partial";
}

function llmResponse(leg: Leg, answer: Answer, attempt: number, durationMs: number): NewEvent {
  const usage = usageSoFar(answer);
  const { pricing } = leg.agent.model;
  return {
    type: "llm_response",
    durationMs,
    data: {
      raw_response: {
        id: answer.id,
        model: answer.model,
        stop_reason: answer.stopReason,
        stop_sequence: answer.stopSequence,
        usage: answer.usage as JsonObject,
      },
      tokens: tokensOf(usage),
      cost_cents: pricing === undefined ? 0 : costMicroUsd(usage, pricing) / 10_000,
      attempt,
      ...(answer.requestId !== undefined && { request_id: answer.requestId }),
    },
  };
}

/** What was counted; of an answer that broke off the wire has not said how much was written, so that is estimated. */
function usageSoFar(answer: Answer): Usage {
  const usage = usageFromWire(answer.usage);
  if (answer.finished) return usage;
  const written = estimateTokens(answer.parts.flatMap(({ pieces }) => pieces).join("").length);
  return { ...usage, outputTokens: Math.max(usage.outputTokens, written) };
}
