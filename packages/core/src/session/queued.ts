import type { StoredOf } from "../log/event.ts";
import { addMs } from "../log/expiry.ts";
import type { StopReason } from "../log/stop-reason.ts";
import { type Asking, isHidden, isWaiting, type QuestionRecord } from "./asking.ts";
import { openRun, type RunState, type SessionState } from "./state.ts";

/** Returns the messages that arrived during the session's last run and that no request has covered yet. */
export function queuedMessages({ run, queued }: SessionState): StoredOf<"user_message">[] {
  return queued.filter(({ seq }) => seq > (run?.seq ?? 0));
}

/** Stop types of a run that had nothing more to do. */
const FINISHED: readonly string[] = ["end_turn", "terminal_tool"];

/**
 * Returns whether a run that would end for this reason continues instead, because a queued message needs an
 * answer. After a hand-over, the other agent answers it.
 */
export function isPostponed(state: SessionState, stop: StopReason): boolean {
  const isWanted = FINISHED.includes(stop.type) && queuedMessages(state).length > 0;
  return isWanted && handOverTarget(state.run) === undefined;
}

/** Returns whether the run waits for the user's answer and no leg is running. */
export function isSuspended(run: RunState): boolean {
  return isWaitingRun(run) && questionsOf(run).length > 0;
}

/** Returns whether the run waits, for the user's answer or for a time, and no leg is running. */
export function isWaitingRun(run: RunState): boolean {
  return !run.unsettled && waitingFor(run).length > 0;
}

/** Returns whether the session's last run has ended or waits for the user's answer. */
export function isSettled({ run }: SessionState): boolean {
  return run !== undefined && (run.ended !== undefined || isSuspended(run));
}

/** Returns the open run; `undefined` if none exists or it waits for the user's answer. */
export function runInProgress(state: SessionState): RunState | undefined {
  const run = openRun(state);
  return run === undefined || isSuspended(run) ? undefined : run;
}

/**
 * Returns the open run that a process can resume, for a session without a live leg. Returns `undefined` if no
 * run is open, if the run's end has begun, or if a question to the user is open. An open question counts even
 * if other calls of its turn have no result, because the process that ran them is gone.
 */
export function runToResume(state: SessionState): RunState | undefined {
  const run = openRun(state);
  const nothingToResume = run === undefined || run.ending !== undefined || questionsOf(run).length > 0;
  return nothingToResume ? undefined : run;
}

/** Returns the calls and hooks of the run that wait: for the user, or for a time. */
export function waitingFor({ calls, asked }: RunState): Asking[] {
  const waiting: Asking[] = calls.filter(isWaiting);
  return asked.length === 0 ? waiting : [...waiting, ...asked.filter(isWaiting)];
}

/** Returns the calls and hooks of the run that wait for the user. */
export function questionsOf(run: RunState): Asking[] {
  return waitingFor(run).filter((asking) => !isHidden(asking));
}

/**
 * Returns when the first of these questions expires, ISO 8601; `undefined` if none of them does. For `clock`,
 * see {@link expiryBy}.
 */
export function firstExpiry(waiting: readonly Asking[], clock?: string): string | undefined {
  const times = waiting.flatMap(({ question }) => (question && expiryBy(question, clock)) ?? []);
  // ISO 8601 times sort correctly as texts.
  return times.sort()[0];
}

/**
 * Returns when a question expires. `clock` is the store's time after its clock was set back: a question
 * expires after its own duration from then on at the latest.
 */
export function expiryBy({ expires, lastsMs }: QuestionRecord, clock?: string): string | undefined {
  if (expires === undefined || clock === undefined || lastsMs === undefined) return expires?.at;
  return [expires.at, addMs(clock, lastsMs)].sort()[0];
}

/** Returns the questions whose expiry is not after the latest of these times, ISO 8601. */
export function expiredBy(waiting: readonly Asking[], times: readonly string[]): Asking[] {
  return waiting.filter(({ question }) => {
    const expiry = question?.expires?.at;
    return expiry !== undefined && times.some((time) => time >= expiry);
  });
}

/** Returns the agent to which the run has handed the conversation over; `undefined` if it has not. */
export function handOverTarget(run: RunState | undefined): string | undefined {
  return run?.calls.findLast(({ result }) => result?.data.hand_over_to)?.result?.data.hand_over_to;
}
