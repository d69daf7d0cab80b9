import { causeOf, messageOf, PawlError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { restOfBudget } from "../../log/budget.ts";
import type { NewEvent } from "../../log/event.ts";
import { FINAL_ANSWER } from "../../log/final-answer.ts";
import { type StopReason, withOwnWords } from "../../log/stop-reason.ts";
import { contentOf, newReply } from "../../model/reply.ts";
import { RETRY } from "../../session/asking.ts";
import { openRun } from "../../session/state.ts";
import { leftAfter, limitStop, remainingOf } from "../../stop/limits.ts";
import type { Attempt } from "../leg/attempt.ts";
import type { Leg } from "../leg/leg.ts";
import type { Refusal, RefusalOutcome } from "../leg/part-types.ts";
import { afterBarrier } from "../leg/stored-first.ts";
import { assistantMessage, llmResponse } from "./answer-events.ts";

/** Starts an attempt, and shows its text to readers instead of the previous attempt's. */
export function beginAttempt(leg: Leg, started: Omit<Attempt, "answer">): Attempt {
  const { output } = leg.run.agent;
  const tool = started.asText ? undefined : FINAL_ANSWER;
  const attempt = { ...started, answer: newReply(output && { tool, wrapped: output.isWrapped }) };
  leg.readers.live.attempt = attempt.seq;
  leg.readers.live.parts = attempt.answer.parts;
  return attempt;
}

/** Returns how many attempts of this turn failed in earlier legs, as the run's latest wait has recorded. */
export function failedAttemptsBefore({ log: { state } }: Leg): number {
  const run = openRun(state);
  const wait = run?.asked.findLast(({ question, turns }) => question.kind === RETRY && turns === run.turns);
  const { failed_attempts } = Object(wait?.question.payload);
  return typeof failed_attempts === "number" ? failed_attempts : 0;
}

/**
 * Returns the stop reason if answers have cost all that the limits allow while they stream, e.g. by searches
 * on the API's side; `undefined` if not. `charged` are the events that charge the turn's answer so far. The
 * answers to hooks and tools that are in flight count too.
 */
export function overspent(leg: Leg, charged: readonly NewEvent[] = []): StopReason | undefined {
  const left = leftAfter(remainingOf(leg.log.state, leg.run.agent, leg.life.legMs()), charged);
  for (const { used } of leg.once.asks.reserved) left.amounts = restOfBudget(left.amounts, used);
  return left.amounts.costUsd > 0 ? undefined : withOwnWords(leg.run.agent, limitStop(left, "costUsd"));
}

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
 * Decides what follows a refused request. If the code for that cannot be loaded, the refusal is stored all
 * the same, and that error is reported.
 */
export async function decideAfterRefusal(
  leg: Leg,
  { request }: Attempt,
  refusal: Refusal,
): Promise<RefusalOutcome> {
  try {
    const parts = await leg.parts.load();
    return await parts.afterRefusal(leg, refusal, request.prompt.upto_seq);
  } catch (error) {
    if (leg.life.signal.aborted) throw error;
    await afterBarrier(leg, () => leg.report.toFix(error));
    return { events: [], again: false };
  }
}
