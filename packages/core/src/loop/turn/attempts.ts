import { causeOf, messageOf, PawlError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { restOfBudget } from "../../log/budget.ts";
import { errorEvent } from "../../log/error-event.ts";
import type { NewEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import { FINAL_ANSWER } from "../../log/final-answer.ts";
import { type StopReason, withOwnWords } from "../../log/stop-reason.ts";
import type { AttemptFailed } from "../../model/model-client.ts";
import { contentOf, newReply } from "../../model/reply.ts";
import { RETRY } from "../../session/asking.ts";
import { openRun } from "../../session/state.ts";
import { leftAfter, limitStop, remainingOf } from "../../stop/limits.ts";
import { noRoomStop, roomFor } from "../../stop/room.ts";
import type { Leg } from "../leg/leg.ts";
import type { Refusal, RefusalOutcome } from "../leg/part-types.ts";
import { afterBarrier } from "../leg/stored-first.ts";
import { type Attempt, assistantMessage, llmResponse } from "./answer-events.ts";

/** Starts an attempt, and shows its text to readers instead of the previous attempt's. */
export function beginAttempt(leg: Leg, started: Omit<Attempt, "answer">): Attempt {
  const { output } = leg.run.agent;
  const tool = started.asText ? undefined : FINAL_ANSWER;
  const attempt = { ...started, answer: newReply(output && { tool, wrapped: output.isWrapped }) };
  leg.readers.live.attempt = attempt.seq;
  leg.readers.live.parts = attempt.answer.parts;
  return attempt;
}

/**
 * Logs a failed attempt that the model client retries, and resolves to the next attempt. One append has the
 * failed attempt's cost and error, and the next request with the same prompt. The failed attempt's text is
 * dropped. If the limits do not allow another full answer, halts the run instead.
 *
 * If the wait is long and the run may leave the process, has the run wait for a time, and resolves to
 * `undefined`. After the wait, a later leg sends a new request.
 */
export async function nextAttempt(
  leg: Leg,
  failed: Attempt,
  event: AttemptFailed,
  failedAttempts: number,
): Promise<Attempt | undefined> {
  const { error: failure, retry_in_ms, model = failed.request.model } = event;
  const pricing = event.model === undefined ? failed.pricing : event.pricing;
  const charged = llmResponse(failed, leg.life.clock.now());
  const stop = noRoomFor(leg, charged, { ...failed, pricing });
  const { message, ...details } = failure;
  const context = { attempt: failed.seq, model: failed.request.model, ...details };
  const error = errorEvent({
    code: "model_error",
    message,
    context: { ...context, will_retry: stop === undefined, retry_in_ms },
  });
  if (stop !== undefined) {
    await leg.log.add([...charged, error]);
    leg.life.halt(withOwnWords(leg.run.agent, stop));
    // The failed attempt is charged by now. The end of the run charges the turn's attempt, so the turn gets
    // an empty one.
    return beginAttempt(leg, failed);
  }
  const wait = await retryWaitEvent(leg, retry_in_ms, failedAttempts);
  if (wait !== undefined) {
    await leg.log.add([...charged, error, wait]);
    await leg.report.notify(error.data);
    return undefined;
  }
  const request: EventData["llm_request"] = { ...failed.request, model, retry_of: failed.seq };
  const rows = await leg.log.add([...charged, error, { type: "llm_request", data: request }]);
  const next = beginAttempt(leg, {
    seq: rows.at(-1)?.seq ?? 0,
    request,
    pricing,
    estimateTokens: failed.estimateTokens,
    startedAt: leg.life.clock.now() + retry_in_ms,
    asText: failed.asText,
  });
  await leg.report.notify(error.data);
  return next;
}

/** The shortest wait for which a run leaves its process, in milliseconds. Resuming it costs some requests. */
const LONG_WAIT_MS = 5_000;

/** The longest wait for which a run leaves its process, in milliseconds. Its end must be a valid date. */
const MOST_WAIT_MS = 24 * 60 * 60_000;

/** Returns the event by which the run waits without a process; `undefined` if this process waits. */
async function retryWaitEvent(leg: Leg, ms: number, failedAttempts: number): Promise<NewEvent | undefined> {
  const run = openRun(leg.log.state);
  const isLong = ms >= LONG_WAIT_MS && ms <= MOST_WAIT_MS;
  if (run === undefined || !isLong || !leg.life.mayLeave()) return undefined;
  return (await leg.parts.load()).retryWait(run, ms, failedAttempts);
}

/** Returns how many attempts of this turn failed in earlier legs, as the run's latest wait has recorded. */
export function failedAttemptsBefore({ log: { state } }: Leg): number {
  const run = openRun(state);
  const wait = run?.asked.findLast(({ question, turns }) => question.kind === RETRY && turns === run.turns);
  const { failed_attempts } = Object(wait?.question.payload);
  return typeof failed_attempts === "number" ? failed_attempts : 0;
}

/**
 * Returns why the limits do not allow the same request again; `undefined` if they do. `charged` are the
 * events that charge the failed attempt. They are not in the state yet.
 */
export function noRoomFor(
  leg: Leg,
  charged: readonly NewEvent[],
  { request, pricing }: Pick<Attempt, "request" | "pricing">,
): StopReason | undefined {
  const left = leftAfter(remainingOf(leg.log.state, leg.run.agent, leg.life.legMs()), charged);
  const maxTokens = request.params.max_tokens;
  const room = roomFor(left, { estimatedTokens: request.estimated_tokens, maxTokens, pricing }, false);
  if ("type" in room) return room;
  return room.maxTokens >= maxTokens ? undefined : noRoomStop(left, room.limitedBy ?? "outputTokens");
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
