import type { StoredOf } from "../log/event.ts";
import type { StopReason } from "../log/stop-reason.ts";
import { isWaiting, openRun, type RunState, type SessionState, unanswered } from "./state.ts";

/** Messages that came while the session's run was at work and that no request has covered yet. */
export function queuedMessages({ run, queued }: SessionState): StoredOf<"user_message">[] {
  return queued.filter(({ seq }) => seq > (run?.seq ?? 0));
}

/** Ends that have come about because there was nothing more to do. */
const ORDINARY: readonly string[] = ["end_turn", "terminal_tool"];

/**
 * Whether the run does not end like this yet, because a message has come to which it has to say something.
 */
export function isPostponed(state: SessionState, stop: StopReason): boolean {
  return ORDINARY.includes(stop.type) && queuedMessages(state).length > 0;
}

/** Whether nobody works on the run until its user answers. */
export function isSuspended(run: RunState): boolean {
  return !run.unsettled && unanswered(run).some(isWaiting);
}

/** Whether the session's last run has ended, or waits for nothing but its user's answer. */
export function isSettled({ run }: SessionState): boolean {
  return run !== undefined && (run.ended !== undefined || isSuspended(run));
}

/** The open run, unless it only waits for its user. */
export function runAtWork(state: SessionState): RunState | undefined {
  const run = openRun(state);
  return run === undefined || isSuspended(run) ? undefined : run;
}

/**
 * The same where nobody works on the session: then a question waits although calls beside it are not settled
 * yet.
 */
export function runToResume(state: SessionState): RunState | undefined {
  const run = openRun(state);
  const nothingToResume = run === undefined || run.ending !== undefined || unanswered(run).some(isWaiting);
  return nothingToResume ? undefined : run;
}
