import { errorEvent } from "../log/error-event.ts";
import type { NewEvent } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import { type StopReason, withOwnWords } from "../log/stop-reason.ts";
import type { Attempt } from "../loop/leg/attempt.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { llmResponse } from "../loop/turn/answer-events.ts";
import { beginAttempt } from "../loop/turn/attempts.ts";
import type { AttemptFailed } from "../model/model-client.ts";
import { openRun } from "../session/state.ts";
import { leftAfter, remainingOf } from "../stop/limits.ts";
import { noRoomStop, roomFor } from "../stop/room.ts";
import { retryWait } from "./questions.ts";

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
  const wait = retryWaitEvent(leg, retry_in_ms, failedAttempts);
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
function retryWaitEvent(leg: Leg, ms: number, failedAttempts: number): NewEvent | undefined {
  const run = openRun(leg.log.state);
  const isLong = ms >= LONG_WAIT_MS && ms <= MOST_WAIT_MS;
  if (run === undefined || !isLong || !leg.life.mayLeave()) return undefined;
  return retryWait(run, ms, failedAttempts);
}

/**
 * Returns why the limits do not allow the same request again; `undefined` if they do. `charged` are the
 * events that charge the failed attempt. They are not in the state yet.
 */
function noRoomFor(
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
