import { withinDeadline } from "../../base/deadline.ts";
import type { Hook } from "../../hooks/hook.ts";
import type { TurnPlan } from "../../hooks/turn-plan.ts";
import type { NewEvent } from "../../log/event.ts";
import { ABORTED } from "../../log/stop-reason.ts";
import { isCode } from "../../model/answering.ts";
import { longestAnswer } from "../../model/estimate.ts";
import { cutStream, modelError } from "../../model/failure.ts";
import type { ModelClient, ModelEvent, ModelRequest } from "../../model/model-client.ts";
import { contentOf, cutReply, takeEvent } from "../../model/reply.ts";
import { isUseSoFar } from "../../model/usage-so-far.ts";
import { estimatedPart } from "../../session/counted-prompt.ts";
import { lostAnswer } from "../../session/open-attempt.ts";
import { openRun } from "../../session/state.ts";
import { HOOK_FAILED, hooksWith } from "../hooks/call-hooks.ts";
import { afterModel } from "../hooks/turn-hooks.ts";
import type { Attempt } from "../leg/attempt.ts";
import type { Leg } from "../leg/leg.ts";
import { afterBarrier } from "../leg/stored-first.ts";
import { assistantMessage, llmResponse } from "./answer-events.ts";
import { beginAttempt, decideAfterRefusal, failedAttemptsBefore, failedTurn, overspent } from "./attempts.ts";
import { type InsteadOfCall, type Judge, prepareRequest, type StoredRequest } from "./plan-call.ts";
import { toFixIn, verdictOn } from "./verdict.ts";

/**
 * Makes one model call, and adds its answer, calls and usage to the log. Resolves to the next step if it
 * cannot be derived from the log: the limits do not allow the call, or the call failed. Otherwise resolves to
 * `undefined`.
 */
export async function modelTurn(leg: Leg, plan: TurnPlan): Promise<InsteadOfCall | undefined> {
  const prepared = await prepareRequest(leg, plan);
  if (prepared === undefined || "do" in prepared) return prepared;
  const { life, log } = leg;
  const rows = await log.storeDecision([{ type: "llm_request", data: prepared.event }]);
  const seq = rows[0]?.seq ?? 0;
  if (leg.run.mayBegin !== undefined && !(await leg.run.mayBegin())) life.halt(ABORTED);
  if (life.lost || !life.signal.aborted) return await sendRequest(leg, { ...prepared, seq });
  // The run was stopped after its request was stored. The model is not called, so the request costs nothing.
  const { model } = prepared.event;
  await log.add([lostAnswer({ seq, model, estimatedTokens: 0, estimatedCostUsd: 0 })]);
  return undefined;
}

/**
 * Sends a request that is in the log, and reads the answer. One append stores the answer, its calls, its
 * usage, and the events of the next step if that is decided at once. Resolves to the next step if the model
 * call failed and the step cannot be derived from the log; otherwise to `undefined`.
 */
export async function sendRequest(
  leg: Leg,
  { seq, event, model, request, judge }: StoredRequest,
): Promise<InsteadOfCall | undefined> {
  const first = beginAttempt(leg, {
    seq,
    request: event,
    pricing: model.pricing,
    estimateTokens: (chars) => estimatedPart(leg.log.state.counted, chars, leg.run.agent.estimateTokens),
    startedAt: leg.life.clock.now(),
    asText: request.outputFormat !== undefined,
  });
  const { attempt, failure, waitsForRetry } = await readAnswer(leg, model, request, first);
  if (waitsForRetry) return undefined;
  if (failure !== undefined) {
    const refused = attempt.gate?.refused;
    const stop =
      refused === undefined
        ? await failedTurn(leg, attempt, failure.cause)
        : await (await leg.parts.load()).storeRefused(leg, attempt, refused);
    return stop && { do: "end", stop };
  }
  const isRefusal = attempt.answer.stopReason === "refusal";
  const refused = isRefusal ? await decideAfterRefusal(leg, attempt, "by the model") : undefined;
  if (refused?.again === true) {
    const context = { attempt: attempt.seq, stop_reason: "refusal", will_retry: true };
    const error = { code: "model_error" as const, message: "The model refused to answer.", context };
    const charged = llmResponse(attempt, leg.life.clock.now());
    await leg.report.logError(error, [...charged, ...refused.events]);
  } else return await storeAnswer(leg, attempt, judge, refused?.events);
  return undefined;
}

/**
 * Holds an answer for the next append. If the answer has a problem, stores both at once, so that `decide`
 * knows the problem also after a crash. If a hook that guards has failed, only charges the answer, and
 * resolves to the end of the run.
 */
async function storeAnswer(
  leg: Leg,
  attempt: Attempt,
  judge: Judge | undefined,
  checkpoint: readonly NewEvent[] = [],
): Promise<InsteadOfCall | undefined> {
  const { answer } = attempt;
  let verdict = verdictOn(attempt, leg.log.state, leg.run.agent);
  const mayWantCall = attempt.request.params.hook_choice ?? openRun(leg.log.state)?.turn?.reminded;
  if (mayWantCall) verdict = (await leg.parts.load()).wantedVerdict(leg, attempt, verdict);
  const { reminder } = verdict;
  const modelContent = contentOf(answer);
  const content =
    hooksWith(leg, "afterModel").length === 0
      ? modelContent
      : await afterModel(leg, { content: modelContent, stopReason: answer.stopReason });
  if (content === undefined) {
    await leg.log.add(llmResponse(attempt, leg.life.clock.now()));
    return leg.life.signal.aborted ? undefined : { do: "end", stop: HOOK_FAILED };
  }
  const isUsable = verdict.problem === undefined;
  // If a call is still wanted, the answer gives no output.
  const mayHaveOutput = isUsable && reminder === undefined;
  const outputVerdict = mayHaveOutput ? await judge?.(attempt, { content, calls: verdict.calls }) : undefined;
  const { calls = verdict.calls, events: outputEvents = [], problem = verdict.problem } = outputVerdict ?? {};
  const place = outputVerdict?.place ?? (attempt.asText ? "text" : undefined);
  const events: NewEvent[] = [
    assistantMessage(attempt, isUsable || problem?.code === "no_tool_call", content, place),
    ...calls.map((data): NewEvent => ({ type: "tool_call", data })),
    ...llmResponse(attempt, leg.life.clock.now()),
    ...(reminder === undefined ? [] : [{ type: "note" as const, data: reminder }]),
    ...outputEvents,
    ...checkpoint,
  ];
  const toFix = toFixIn(answer);
  if (problem === undefined) {
    await leg.log.holdFacts(events);
    if (toFix.length > 0) await afterBarrier(leg, () => toFix.forEach(leg.report.toFix));
    return undefined;
  }
  await leg.report.logError({ ...problem, context: { attempt: attempt.seq } }, events);
  leg.report.problem = modelError(problem.message, { type: problem.code, retryable: false });
  return undefined;
}

function guards(hook: Hook): boolean {
  return hook.guards === true;
}

/** The progress of reading an answer: the current attempt, and its failure if it failed. */
interface Reading {
  attempt: Attempt;
  failure?: { cause: unknown };
  /** Whether the attempt failed and the run now waits for a time. A later leg sends the next request. */
  waitsForRetry?: boolean;
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
  const { userId } = leg.run.session;
  const run = async () => await (await leg.parts.load()).currentRun(leg);
  // Like `max_tokens`, it is that of all attempts. An answer that code gives may have any length.
  const isModel = !isCode(model.id);
  const maxChars = isModel ? longestAnswer(request.maxTokens, leg.run.agent.estimateTokens) : Infinity;
  // Set while a failed attempt is being logged: an error of the log is not a failure of the model.
  let logging: Promise<Attempt | undefined> | undefined;
  const takeNext = (next: Attempt | undefined) => {
    if (next === undefined) reading.waitsForRetry = true;
    else reading.attempt = next;
  };
  const isJudged = hooksWith(leg, "duringModel").length > 0 || hooksWith(leg, "afterModel").some(guards);
  const judges = isJudged ? await leg.parts.load() : undefined;
  const read = async () => {
    signal.throwIfAborted();
    attempt.gate = judges?.answerGate(leg, attempt);
    let failedAttempts = failedAttemptsBefore(leg);
    for await (const part of model.stream(request, { signal, timeLeftMs, failedAttempts, userId, run })) {
      signal.throwIfAborted();
      if (part.type === "attempt_failed") {
        failedAttempts += 1;
        const failed = failedAttempts;
        const { gate } = reading.attempt;
        logging = leg.parts.load().then(({ nextAttempt }) => nextAttempt(leg, reading.attempt, part, failed));
        takeNext(await logging);
        logging = undefined;
        if (reading.waitsForRetry) return;
        reading.attempt.gate = gate?.next(reading.attempt);
        continue;
      }
      const { answer, gate } = reading.attempt;
      if (gate === undefined) takeEvent(answer, part);
      else await gate.take(part);
      if ((gate?.received ?? answer).chars > maxChars) {
        await gate?.end();
        return cutReply(answer);
      }
      haltIfOverspent(leg, reading.attempt, part);
      if (part.type === "content_block_delta") leg.readers.touch();
    }
    const { finished, stopReason } = reading.attempt.answer;
    // An answer without a stop reason is incomplete.
    if (!finished || stopReason === null) throw cutStream();
  };
  try {
    await withinDeadline(leg.life, read());
  } catch (cause) {
    // The deadline may end the wait while an attempt is being logged. If logging it fails, this throws.
    if (logging !== undefined) takeNext(await logging);
    reading.failure = { cause };
  }
  return reading;
}

/** Ends the run if the answer has cost all that the limits allow while it goes on. */
function haltIfOverspent(leg: Leg, attempt: Attempt, event: ModelEvent): void {
  if (!isUseSoFar(attempt.gate?.received ?? attempt.answer, event)) return;
  const stop = overspent(leg, llmResponse(attempt, leg.life.clock.now()));
  if (stop !== undefined) leg.life.halt(stop);
}
