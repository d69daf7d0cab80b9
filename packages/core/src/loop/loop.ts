import { DECIDE_AGAIN } from "../leg/decide-again.ts";
import type { Leg } from "../leg/leg.ts";
import { storedFirst } from "../leg/stored-first.ts";
import type { NewEvent } from "../log/event.ts";
import { isByLogOnly } from "../log/log-only.ts";
import { type StopReason, sessionOver } from "../log/stop-reason.ts";
import { type Asking, isHidden } from "../session/asking.ts";
import { closeOpenCalls, expiredAnswer, OVERTAKEN } from "../session/close-calls.ts";
import { lostAnswer } from "../session/open-attempt.ts";
import { firstExpiry } from "../session/queued.ts";
import { openRun, type RunState, unanswered } from "../session/state.ts";
import { decide, type Next, type Now } from "./decide.ts";
import { hooksWith } from "./hooks/call-hooks.ts";
import { endingOf, notifyAtEnd, reportFailedEnd } from "./hooks/end-hooks.ts";
import { notifyOfSuspension, planTurn, runAfterTurnHooks } from "./hooks/turn-hooks.ts";
import { land } from "./land.ts";
import { prepareNextRun } from "./next-run.ts";
import { mayBeDue } from "./seldom/may-be-due.ts";
import { seldomUsed } from "./seldom/seldom-used.ts";
import { runTools } from "./tools/run-tools.ts";
import { modelTurn } from "./turn/model-turn.ts";
import type { InsteadOfCall } from "./turn/plan-call.ts";

/**
 * THE LOOP. Decides the next step from the log, takes it, stores the outcome, and decides again. First,
 * answered and recovered legs all go through it. With `over`, the run ends for this reason. Returns `true`
 * once the run is suspended or ended and the lease is released; `false` if there is nothing to do, or another
 * process continues the run.
 */
export async function runLoop(leg: Leg, over?: StopReason): Promise<boolean> {
  let instead: Next | undefined;
  while (!leg.life.lost) {
    try {
      if (leg.hasNewCaller && over === undefined) await renewIfDue(leg);
      if (asksApplication(leg)) await storedFirst(leg);
      leg.log.decide();
      const next = instead ?? decide(leg.log.state, leg.agent, nowOf(leg, over));
      instead = undefined;
      switch (next.do) {
        case "charge":
          await leg.log.add([lostAnswer(next.attempt)]);
          break;
        case "tools":
          await runTools(leg, next.calls);
          break;
        case "after_turn":
          await runAfterTurnHooks(leg, next.turn);
          break;
        case "model":
          instead = await runTurn(leg);
          break;
        case "land":
          await land(leg, next.stop);
          break;
        case "close_questions":
          await closeOvertakenQuestions(leg, next.run);
          break;
        case "expire":
          // If an answer is stored first, that one counts.
          await leg.log.appendAtTip(next.expired.map(expiredAnswer));
          break;
        case "ask_credentials":
          await leg.log.follow([(await seldomUsed()).credentialsQuestion(next.run)]);
          break;
        case "suspend":
          if (await suspendRun(leg, next.pending, leg.log.state.lastSeq)) return true;
          break;
        case "end":
          if (await endRun(leg, next.stop)) return true;
          break;
        case "leave":
        case "nothing":
          await storedFirst(leg);
          return false;
      }
    } catch (cause) {
      if (cause !== DECIDE_AGAIN) throw cause;
    }
  }
  return false;
}

/** Returns whether a stop condition of the application's will be called. */
function asksApplication({ agent, log }: Leg): boolean {
  const run = openRun(log.state);
  return run !== undefined && unanswered(run).length === 0 && !agent.stopWhen.every(isByLogOnly);
}

/**
 * Gives the leg the caller of a new answer. A stopped run ends with the caller for whom it has worked, even
 * if an answer came from another one.
 */
async function renewIfDue(leg: Leg): Promise<void> {
  if (leg.life.signal.aborted) return;
  await storedFirst(leg);
  await leg.renew();
}

/** Whether the run was given credentials that this process does not have. */
export function lacksCredentials({ log, credentials }: Pick<Leg, "log" | "credentials">): boolean {
  return credentials === undefined && openRun(log.state)?.needsCredentials === true;
}

/** Returns the leg's state for `decide`. */
function nowOf(leg: Leg, over: StopReason | undefined): Now {
  const { life, hookProgress } = leg;
  const { halted, draining, signal } = life;
  const turnsNotified =
    hooksWith(leg, "afterTurn").length === 0 ? Number.POSITIVE_INFINITY : hookProgress.turns;
  return {
    legMs: life.legMs(),
    halted,
    failed: over,
    aborted: signal.aborted,
    draining,
    withoutCredentials: lacksCredentials(leg) ? leg.withoutCredentials : undefined,
    begunAt: leg.begunAt,
    turnsNotified,
    hookStop: hookProgress.stop,
  };
}

/**
 * Runs one turn: reads the user data again if a tool ran, calls the hooks that plan the turn, then the model.
 * Resolves to the next step if it cannot be derived from the log.
 */
async function runTurn(leg: Leg): Promise<InsteadOfCall | undefined> {
  if (leg.agent.userData !== undefined) await (await seldomUsed()).refreshUserData(leg);
  if (leg.life.signal.aborted) return undefined;
  let planned = await planTurn(leg);
  // Hooks are called first, because they may refuse the turn, and a summary costs money. They are called
  // again after a checkpoint, which may have removed what they appended, and when the run is recovered.
  const { aborted } = leg.life.signal;
  if (planned.plan !== undefined && !aborted && mayBeDue(leg)) {
    const { checkpointIfDue } = await seldomUsed();
    if (await checkpointIfDue(leg)) planned = await planTurn(leg);
  }
  // The calls whose results were held may be open again.
  if (leg.life.signal.aborted || leg.log.isVoid) return undefined;
  const { plan, stop, question } = planned;
  if (stop !== undefined) return { do: "end", stop };
  if (question === undefined) return await modelTurn(leg, plan);
  await leg.log.follow([question]);
  return undefined;
}

/**
 * Ends the run, answers every open call, and starts the next run if a queued message needs one. Returns
 * `false` if something else was stored first; then the caller must decide again.
 */
async function endRun(leg: Leg, reason: StopReason): Promise<boolean> {
  leg.log.decide();
  const run = openRun(leg.log.state);
  if (run === undefined) return false;
  const ending = await endingOf(leg, run, reason);
  if (ending === undefined) return false;
  const begin = await prepareNextRun(leg, reason);
  // Nothing is awaited between here and the append, so that no message is missed.
  const successor = begin();
  if (successor === "decide_again") return false;
  const events = [...ending.events(successor?.next), ...(successor?.events ?? [])];
  // The same append releases the lease. So a message, an answer or a stop that arrives now is either seen by
  // this leg, or finds the session free.
  if (!(await leg.log.appendAtTip(events, { release: successor === undefined }))) return false;
  reportFailedEnd(leg, run, ending.stop);
  if (ending.error !== undefined) await notifyAtEnd(leg, ending.error);
  await successor?.begun();
  return true;
}

/**
 * Suspends the run, or ends it if the session is over, because nobody can answer then. `seq` is that of the
 * last event when this was decided. Returns `false` if something was stored after it; the caller must then
 * decide again.
 */
async function suspendRun(leg: Leg, waiting: readonly Asking[], seq: number): Promise<boolean> {
  const run = openRun(leg.log.state);
  if (run === undefined) return false;
  const status = await leg.status();
  if (status === "expired" || status === "completed") return await endRun(leg, sessionOver(status));
  // Hooks may have appended: decide again.
  const questions = waiting.filter((asking) => !isHidden(asking));
  if (questions.length > 0 && (await notifyOfSuspension(leg, questions))) return false;
  return await leg.log.appendAtTip([suspendedEvent(run, waiting)], { seq, release: true });
}

function suspendedEvent({ runId }: RunState, waiting: readonly Asking[]): NewEvent {
  const idsOf = (some: readonly Asking[]) => some.map(({ callId }) => callId);
  const pending = idsOf(waiting.filter((asking) => !isHidden(asking)));
  const hidden = idsOf(waiting.filter(isHidden));
  const wake_at = firstExpiry(waiting);
  return {
    type: "run_suspended",
    data: {
      run_id: runId,
      pending,
      ...(hidden.length > 0 && { hidden }),
      ...(wake_at !== undefined && { wake_at }),
    },
  };
}

/**
 * Closes the open questions because a new message has arrived. The run continues with the message, and may
 * ask again. If an answer is stored first, nothing is closed, and the loop decides again.
 */
async function closeOvertakenQuestions({ log }: Leg, run: RunState): Promise<void> {
  // The run continues here. Without a running leg, a new message ends the run instead: `endSupersededRun`.
  await log.appendAtTip(closeOpenCalls(run, () => OVERTAKEN));
}
