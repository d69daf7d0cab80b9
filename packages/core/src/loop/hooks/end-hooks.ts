import { withTimeLimit } from "../../base/deadline.ts";
import { centsFromUsd } from "../../base/usd.ts";
import { errorEvent } from "../../log/error-event.ts";
import type { NewEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import { eventKey } from "../../log/event-keys.ts";
import type { ClosedBy, NextRun } from "../../log/event-parts.ts";
import { isFailed, isReported, type StopReason, stopFrom, withOwnWords } from "../../log/stop-reason.ts";
import { tokensOf } from "../../log/tokens.ts";
import { isWaiting, type RunQuestion } from "../../session/asking.ts";
import { closeOpenCalls } from "../../session/close-calls.ts";
import { runToResume } from "../../session/queued.ts";
import type { CallState, RunState } from "../../session/state.ts";
import { limitDetails, remainingOf } from "../../stop/limits.ts";
import type { Leg } from "../leg/leg.ts";
import { afterBarrier } from "../leg/stored-first.ts";
import { callHook, HOOK_AT_END_MS, HOOK_FAILED, hooksWith } from "./call-hooks.ts";

/** The prepared end of a run: its stop reason, the events to append, and the error for the hooks. */
export interface Ending {
  stop: StopReason;
  /** Makes the events from the current state. `next` describes the run that starts in the same append. */
  events(next?: NextRun): NewEvent[];
  error: EventData["error"] | undefined;
}

/**
 * Prepares the end of a run: calls `onStop`, runs the effects, and makes the events that give every open call
 * a result. `closing` replaces the reason in these results. It is given if a new message ends a run that only
 * waits. Returns `undefined` if something else was stored first; then the caller must decide again.
 */
export async function endingOf(
  leg: Leg,
  run: RunState,
  reason: StopReason,
  closing?: string,
): Promise<Ending | undefined> {
  leg.log.beginDecision();
  const stop = run.ending ?? (await finalStop(leg, withOwnWords(leg.run.agent, reason)));
  const by = closing === undefined ? closedBy(stop, run) : "message";
  const close = () => closeOpenCalls(run, by, (call) => closing ?? closingReason(by, call));
  const errorToLog = isReported(stop) ? endError(leg, run, stop) : undefined;
  const begin = async (started: NewEvent) => {
    // The user may have answered since the end was decided. A new message then does not end the run.
    const mustResume = closing !== undefined && runToResume(leg.log.state) !== undefined;
    return !mustResume && (await leg.log.appendAtTip([...close(), started]));
  };
  const tasks = await leg.run.tasks.open(leg, run);
  const hasEffects = tasks.length > 0 || run.effects.size > 0 || hooksWith(leg, "afterRun").length > 0;
  if (hasEffects && !(await (await leg.parts.load()).runEffects(leg, run, stop, { tasks, begin })))
    return undefined;
  const errors = errorToLog === undefined ? [] : [errorToLog];
  const events: Ending["events"] = (next) => [...close(), ...errors, endEvent(run, stop, next)];
  return { stop, events, error: errorToLog?.data };
}

/** Notifies the hooks of the stored error that ended the run. The hooks get their own time limit. */
export async function notifyAtEnd(leg: Leg, error: EventData["error"]): Promise<void> {
  const {
    run: { agent, session },
  } = leg;
  const { clock } = leg.life;
  const runId = leg.log.state.run?.runId ?? "";
  const context = { sessionId: session.id, userId: session.userId, runId, agent: agent.name };
  await withTimeLimit(clock, HOOK_AT_END_MS, async (signal) => {
    const deadline = { signal, abortGraceMs: 0, clock };
    const { notifyHooks } = await leg.parts.load();
    const failures = await afterBarrier(leg, () =>
      notifyHooks(deadline, { agent, report: leg.report.toFix }, leg.access.hide(error), context),
    );
    for (const { data } of failures) await leg.report.logLate(data);
  });
}

/**
 * Reports a run that has ended as `error` to the runtime's `onError`, unless its error was reported already.
 *
 * The error was not reported yet in these cases:
 *
 * - The model's answer had a problem.
 * - A hook or a stop condition has returned this stop reason.
 * - The process that had the error has crashed.
 */
export function reportFailedEnd(
  { report, run: { session } }: Leg,
  { runId }: RunState,
  stop: StopReason,
): void {
  if (stop.type !== "error" || report.reported) return;
  const reason = `Run ${runId} of session ${session.id} ended as an error: ${stop.message}`;
  report.failed(report.problem ?? new Error(reason));
}

/**
 * Applies the `onStop` hooks to the stop reason. If a hook returns a blank message, the previous message
 * stays.
 */
async function finalStop(leg: Leg, stop: StopReason): Promise<StopReason> {
  let final = stop;
  for (const hook of hooksWith(leg, "onStop")) {
    const { value, failed } = await callHook(leg, hook, "onStop", [final], stopFrom);
    if (failed && hook.guards) return HOOK_FAILED;
    if (value) final = value.message.trim() === "" ? { ...value, message: final.message } : value;
  }
  return final;
}

/** Returns the event that ends a run. With its key, a run can end only once. */
function endEvent(run: RunState, stop: StopReason, next: NextRun | undefined): NewEvent {
  const failed = isFailed(stop) && !hasLandedWell(run);
  return {
    type: "run_ended",
    key: eventKey.end(run.runId),
    data: {
      run_id: run.runId,
      stop,
      session_status: failed ? "error" : (run.sessionStatus ?? "active"),
      turns: run.turns,
      tokens: tokensOf(run.usage),
      cost_cents: centsFromUsd(run.costUsd),
      ...(next !== undefined && { next }),
    },
  };
}

/** Returns whether the run made a landing turn, and the model completed its answer in that turn. */
function hasLandedWell({ landing, turns, turn }: RunState): boolean {
  return landing !== undefined && turns > landing.turns && turn?.stopReason === "end_turn";
}

/** Returns the error event for the end of a run. If a limit was reached, the event has the limit. */
function endError({ log, life, run: { agent } }: Leg, { turns }: RunState, stop: StopReason) {
  const left = remainingOf(log.state, agent, life.legMs());
  return errorEvent({
    code: stop.type,
    message: stop.message,
    context: { turns, ...limitDetails(stop, left) },
  });
}

function closedBy({ type }: StopReason, { interrupted }: RunState): ClosedBy {
  // A hook may have replaced the stop reason of an interrupted run, so both are checked.
  if (interrupted && type === "interrupted") return "message";
  return type === "aborted" ? "stop" : "end";
}

/** Returns why an open call gets no other result, as a clause for the model. */
function closingReason(by: ClosedBy, call: CallState | RunQuestion): string {
  if (by === "message") return "the user sent another message.";
  if (by === "stop") return "the run was stopped.";
  if (isWaiting(call)) return "the run ended before it was answered.";
  // A question about the run has no `started`.
  const isStarted = "started" in call && call.started !== undefined;
  return isStarted ? "the run ended before it finished." : "the run ended before this call.";
}
