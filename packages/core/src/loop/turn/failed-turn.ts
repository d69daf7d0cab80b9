import { causeOf, messageOf, PawlError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { NewEvent } from "../../log/event.ts";
import type { StopReason } from "../../log/stop-reason.ts";
import { contentOf } from "../../model/reply.ts";
import type { Leg } from "../leg/leg.ts";
import type { Refusal, RefusalOutcome } from "../leg/part-types.ts";
import { afterBarrier } from "../leg/stored-first.ts";
import { type Attempt, assistantMessage, llmResponse } from "./answer-events.ts";

/**
 * Stores and charges the part of the answer that arrived before an abort or a failure, and logs the failure.
 * Resolves to the stop reason of the run; `undefined` if the log decides the next step.
 */
export async function failedTurn(
  leg: Leg,
  attempt: Attempt,
  cause: unknown,
): Promise<StopReason | undefined> {
  const { answer, seq } = attempt;
  const events: NewEvent[] =
    answer.blocks.length === 0
      ? []
      : [
          assistantMessage(
            { ...attempt, answer: { ...answer, stopReason: null } },
            false,
            contentOf(answer),
            attempt.asText ? "text" : undefined,
          ),
        ];
  events.push(...llmResponse(attempt, leg.life.clock.now()));
  if (leg.life.signal.aborted) {
    if (leg.life.lost) throw cause;
    if (events.length > 0) await leg.log.add(events);
    return undefined;
  }
  const details = PawlError.is(cause, "model_error") ? (cause.details as JsonObject) : {};
  const message = messageOf(cause);
  const failure = { retryable: false, ...details, message };
  const isOfContent = MAY_BE_CONTENT.includes(details.status) || details.errorCode !== undefined;
  const refused = isOfContent ? await decideAfterRefusal(leg, attempt, failure) : undefined;
  const willRetry = refused?.again === true;
  const context = { attempt: seq, ...details, cause: causeOf(cause), ...(willRetry && { will_retry: true }) };
  await leg.report.logError({ code: "model_error", message, context }, [
    ...events,
    ...(refused?.events ?? []),
  ]);
  if (willRetry) return undefined;
  if (refused?.stop !== undefined) return refused.stop;
  // A model client may throw an error of its SDK instead of a `PawlError`.
  leg.report.failed(PawlError.is(cause) ? cause : new PawlError("model_error", message, { cause }));
  const isSetUpWrong = details.retryable === false || PawlError.is(cause, "config");
  return { type: "error", message: isSetUpWrong ? REFUSED : UNREACHED };
}

/** The HTTP statuses with which APIs refuse content: as invalid, too large or of another type. */
const MAY_BE_CONTENT: readonly unknown[] = [400, 413, 415, 422];

const UNREACHED = "The model could not be reached. Please try again.";

const REFUSED = "Something is set up wrong on our side. Please contact support.";

/**
 * Decides what follows an answer in which the model refuses. From the second refusal in a row, what it
 * refuses is left out of later requests. If the model is asked once more, stores the refusal as a failed
 * attempt; otherwise the answer is stored like any other.
 */
export async function refusedAnswer(leg: Leg, attempt: Attempt): Promise<RefusalOutcome> {
  const refused = await decideAfterRefusal(leg, attempt, "by the model");
  if (!refused.again) return refused;
  const context = { attempt: attempt.seq, stop_reason: "refusal", will_retry: true };
  const charged = llmResponse(attempt, leg.life.clock.now());
  await leg.report.logError({ code: "model_error", message: "The model refused to answer.", context }, [
    ...charged,
    ...refused.events,
  ]);
  return refused;
}

/**
 * Decides what follows a refused request. If the code for that cannot be loaded, the refusal is stored all
 * the same, and that error is reported.
 */
async function decideAfterRefusal(leg: Leg, { request }: Attempt, refusal: Refusal): Promise<RefusalOutcome> {
  try {
    const parts = await leg.parts.load();
    return await parts.afterRefusal(leg, refusal, request.prompt.upto_seq);
  } catch (error) {
    if (leg.life.signal.aborted) throw error;
    await afterBarrier(leg, () => leg.report.toFix(error));
    return { events: [], again: false };
  }
}
