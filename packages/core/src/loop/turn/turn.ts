import { withinDeadline } from "../../base/deadline.ts";
import { causeOf, messageOf, PawlError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Leg } from "../../leg/leg.ts";
import { errorEvent } from "../../log/error-event.ts";
import type { NewEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import { FINAL_ANSWER } from "../../log/final-answer.ts";
import { CONTEXT_WINDOW, type StopReason, withOwnWords } from "../../log/stop-reason.ts";
import { ANSWERING } from "../../model/answering.ts";
import { longestAnswer } from "../../model/estimate.ts";
import { cutStream } from "../../model/failure.ts";
import type { AttemptFailed, ModelClient, ModelRequest } from "../../model/model-client.ts";
import { contentOf, cutReply, newReply, takeEvent } from "../../model/reply.ts";
import { hooksWith } from "../hooks/call-hooks.ts";
import { afterModel } from "../hooks/turn-hooks.ts";
import type { Judge } from "../seldom/lazy-verdict.ts";
import { type Attempt, assistantMessage, llmResponse } from "./answer-events.ts";
import { noRoomFor } from "./no-room.ts";
import type { InsteadOfCall } from "./plan-call.ts";
import type { StoredRequest } from "./prepare-request.ts";
import { verdictOn } from "./verdict.ts";

/**
 * Sends a request that is in the log. The answer, its calls and its usage are stored in one append, together
 * with what follows from them, if that is known at once. Resolves to the next step if the call failed and the
 * step cannot be derived from the log.
 */
export async function sendRequest(
  leg: Leg,
  { seq, event, model, request, judge }: StoredRequest,
): Promise<InsteadOfCall | undefined> {
  const first = beginAttempt(leg, {
    seq,
    request: event,
    pricing: model.pricing,
    estimateTokens: leg.agent.estimateTokens,
    startedAt: leg.life.clock.now(),
    asText: request.outputFormat !== undefined,
  });
  const { attempt, failure } = await readAnswer(leg, model, request, first);
  if (failure !== undefined) {
    const stop = await failedTurn(leg, attempt, failure.cause);
    return stop && { do: "end", stop };
  }
  await storeAnswer(leg, attempt, judge);
  return undefined;
}

/**
 * Stores an answer together with its problem, if it has one, so that `decide` knows the problem also after a
 * crash.
 */
async function storeAnswer(leg: Leg, attempt: Attempt, judge: Judge | undefined): Promise<void> {
  const { answer } = attempt;
  const verdict = verdictOn(attempt, leg.log.state, leg.agent);
  const { reminder } = verdict;
  const written = contentOf(answer);
  const content =
    hooksWith(leg, "afterModel").length === 0
      ? written
      : await afterModel(leg, { content: written, stopReason: answer.stopReason });
  const isUsable = verdict.problem === undefined;
  const output = isUsable ? await judge?.(attempt, { content, calls: verdict.calls }) : undefined;
  const { calls = verdict.calls, events: outputs = [], problem = verdict.problem } = output ?? {};
  const place = output?.place ?? (attempt.asText ? "text" : undefined);
  const events: NewEvent[] = [
    assistantMessage(attempt, isUsable || problem?.code === "no_tool_call", content, place),
    ...calls.map((data): NewEvent => ({ type: "tool_call", data })),
    ...llmResponse(attempt, leg.life.clock.now()),
    ...(reminder === undefined ? [] : [{ type: "note" as const, data: reminder }]),
    ...outputs,
  ];
  if (problem === undefined) await leg.log.hold(events);
  else await leg.report.logError({ ...problem, context: { attempt: attempt.seq } }, events);
}

/** The current attempt, and its failure if it failed. */
interface Reading {
  attempt: Attempt;
  failure?: { cause: unknown };
}

/**
 * Reads the stream to its end, or until the leg aborts. A model that ignores its abort signal is abandoned.
 * An answer that runs past `max_tokens` is cut, as the server should have done.
 */
async function readAnswer(
  leg: Leg,
  model: ModelClient,
  request: ModelRequest,
  attempt: Attempt,
): Promise<Reading> {
  const reading: Reading = { attempt };
  const { signal, timeLeftMs } = leg.life;
  // The same for every attempt, like `max_tokens`. An answer that a hook gives instead of the model may have
  // any length.
  const isModel = model.id !== ANSWERING;
  const maxChars = isModel ? longestAnswer(request.maxTokens, leg.agent.estimateTokens) : Infinity;
  // Kept apart, because an error of the log is not a failure of the model.
  let logging: Promise<Attempt> | undefined;
  const read = async () => {
    signal.throwIfAborted();
    for await (const part of model.stream(request, { signal, timeLeftMs })) {
      signal.throwIfAborted();
      if (part.type === "attempt_failed") {
        logging = nextAttempt(leg, reading.attempt, part);
        reading.attempt = await logging;
        logging = undefined;
        continue;
      }
      const { answer } = reading.attempt;
      takeEvent(answer, part);
      if (answer.chars > maxChars) return cutReply(answer);
      if (part.type === "content_block_delta") leg.touch();
    }
    const { finished, stopReason } = reading.attempt.answer;
    // An answer without a stop reason is incomplete.
    if (!finished || stopReason === null) throw cutStream();
  };
  try {
    await withinDeadline(leg.life, read());
  } catch (cause) {
    if (logging !== undefined) reading.attempt = await logging;
    reading.failure = { cause };
  }
  return reading;
}

/** Starts an attempt, and shows its text to readers instead of the previous attempt's. */
function beginAttempt(leg: Leg, begun: Omit<Attempt, "answer">): Attempt {
  const { output } = leg.agent;
  const tool = begun.asText ? undefined : FINAL_ANSWER;
  const attempt = { ...begun, answer: newReply(output && { tool, wrapped: output.isWrapped }) };
  leg.live.attempt = attempt.seq;
  leg.live.parts = attempt.answer.parts;
  return attempt;
}

/**
 * Logs a failed attempt that the model client retries. One append has the failed attempt's cost and error,
 * and the request of the next attempt with the same prompt. The failed attempt's text is dropped. If the
 * limits do not allow another full answer, halts the run instead.
 */
async function nextAttempt(leg: Leg, failed: Attempt, event: AttemptFailed): Promise<Attempt> {
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
    await leg.log.append([...charged, error]);
    leg.life.halt(withOwnWords(leg.agent, stop));
    return beginAttempt(leg, failed);
  }
  const request: EventData["llm_request"] = { ...failed.request, model, retry_of: failed.seq };
  const rows = await leg.log.append([...charged, error, { type: "llm_request", data: request }]);
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

/**
 * Stores and charges the part of the answer that arrived before an abort or a failure, and logs the failure.
 */
async function failedTurn(leg: Leg, attempt: Attempt, cause: unknown): Promise<StopReason | undefined> {
  const { answer, seq, request } = attempt;
  const kept: NewEvent[] =
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
  kept.push(...llmResponse(attempt, leg.life.clock.now()));
  if (leg.life.signal.aborted) {
    if (leg.life.lost) throw cause;
    if (kept.length > 0) await leg.log.append(kept);
    return undefined;
  }
  const details = PawlError.is(cause, "model_error") ? (cause.details as JsonObject) : {};
  const message = messageOf(cause);
  // Stored with the failure, so that the next request has no file that the model refuses. Otherwise it would
  // refuse every later request of the session.
  const failure = { retryable: false, ...details, message };
  const without = await leg.files.leaveOut(leg.log.state, failure, request.prompt.upto_seq);
  const willRetry = without.length > 0;
  const context = { attempt: seq, ...details, cause: causeOf(cause), ...(willRetry && { will_retry: true }) };
  await leg.report.logError({ code: "model_error", message, context }, [...kept, ...without]);
  if (willRetry) return undefined;
  if (details.errorCode === "context_length_exceeded") return CONTEXT_WINDOW;
  leg.report.failed(cause);
  const isSetUpWrong = details.retryable === false || PawlError.is(cause, "config");
  return { type: "error", message: isSetUpWrong ? REFUSED : UNREACHED };
}

const UNREACHED = "The model could not be reached. Please try again.";

const REFUSED = "Something is set up wrong on our side. Please contact support.";
