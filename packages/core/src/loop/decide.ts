import type { Budget } from "../log/budget.ts";
import { ABORTED, CREDENTIALS_MISSING, INTERRUPTED, type StopReason } from "../log/stop-reason.ts";
import { type Asking, isWaiting } from "../session/asking.ts";
import { isGivenUp } from "../session/given-up.ts";
import type { OpenAttempt } from "../session/open-attempt.ts";
import { expiredBy, isPostponed, questionsOf, queuedMessages, waitingFor } from "../session/queued.ts";
import {
  type CallState,
  callsWithoutResult,
  openRun,
  type RunState,
  type SessionState,
  type TurnState,
} from "../session/state.ts";
import { type Limited, limitReached, limitStop, type Remaining, remainingOf } from "../stop/limits.ts";
import { firstStop, type StopCondition } from "../stop/stop-condition.ts";
import { stopAfterTurn } from "./after-turn.ts";

/** The next step of a leg. */
export type Next =
  /** Charges a request whose answer was lost. */
  | { do: "charge"; attempt: OpenAttempt }
  | { do: "tools"; calls: CallState[] }
  /** Waits for the user's answers, or for a time. */
  | { do: "suspend"; pending: Asking[] }
  /** Asks the client for the caller's credentials, because this process does not have them. */
  | { do: "ask_credentials"; run: RunState }
  /** Gives expired questions their default answers. */
  | { do: "expire"; expired: Asking[] }
  /** Closes questions because the user has sent a message instead of an answer. */
  | { do: "close_questions"; run: RunState }
  /** Notifies the hooks that a turn is over. */
  | { do: "after_turn"; turn: TurnState }
  | BetweenTurns
  /** Leaves the run to another process, because this one is shutting down. */
  | { do: "leave" }
  | { do: "nothing" };

/** The next step once every call of the latest turn has its result. `land` prepares the landing turn. */
type BetweenTurns = { do: "model" } | { do: "land" | "end"; stop: StopReason };

/** The limits and conditions by which an agent's runs end. */
interface Rules extends Limited {
  readonly stopWhen: readonly StopCondition[];
  readonly onLimit: "stop" | "land";
}

/** The part of a leg's state that is not in the log. */
export interface Now {
  /** The leg's running time, in milliseconds. */
  legMs: number;
  /** Why the run must end at once, e.g. because it was stopped; `undefined` if it may continue. */
  halted: StopReason | undefined;
  /** Why the run ends because of an exception. Takes precedence over a stop by the user. */
  failed: StopReason | undefined;
  /** Whether in-flight work is aborted. */
  aborted: boolean;
  /** Whether the process is shutting down. */
  draining: boolean;
  /** What to do if this process lacks the run's credentials; `undefined` if it lacks none. */
  withoutCredentials: "ask" | "stop" | undefined;
  /** When the leg began, by the store's clock. ISO 8601. */
  begunAt: string;
  /** Whether the log has times that are later than the store's clock. */
  clockSetBack: boolean;
  /** The number of turns for which the `afterTurn` hooks were called; `Infinity` without such hooks. */
  turnsNotified: number;
  /** The stop reason that an `afterTurn` hook returned for the last of these turns. */
  hookStop: StopReason | undefined;
}

/** The share of the time limit that is reserved for the landing turn. */
const LANDING_TIME = 0.2;

/**
 * Decides the next step of the session's open run. A pure function of the log and the leg's state. So a run's
 * first leg, a leg after an answer and a leg after a crash decide in the same way.
 */
export function decide(state: SessionState, rules: Rules, now: Now): Next {
  const run = openRun(state);
  if (run === undefined) return { do: "nothing" };
  // The loop never decides while a request is in flight. So the answer to an open request was lost. It is
  // charged first, because its cost counts towards the limits below.
  if (run.attempt !== undefined) return { do: "charge", attempt: run.attempt };
  const immediateStop =
    run.ending ?? now.failed ?? stopByUser(run) ?? run.blocked ?? now.halted ?? givenUp(run);
  // The run ends without `afterTurn` hooks, because the turn is not complete: calls may have no results.
  if (immediateStop !== undefined) return { do: "end", stop: immediateStop };
  const left = remainingOf(state, rules, now.legMs);
  const openCalls = callsWithoutResult(run);
  if (left.amounts.wallClockMs <= 0) {
    const end = { do: "end" as const, stop: limitStop(left, "wallClockMs") };
    return openCalls.length > 0 ? end : hooksFirst(run, now, end);
  }
  const pending = waitingFor(run);
  const expired = expiredBy(pending, [now.clockSetBack ? now.begunAt : state.lastAt, now.begunAt]);
  if (expired.length > 0) return { do: "expire", expired };
  if (now.withoutCredentials !== undefined) return credentialsFirst(run, now.withoutCredentials);
  const toRun = openCalls.filter((call) => !isWaiting(call));
  if (toRun.length > 0) return { do: "tools", calls: toRun };
  if (pending.length > 0) {
    return isOvertaken(state, run) ? { do: "close_questions", run } : { do: "suspend", pending };
  }
  return hooksFirst(run, now, nextTurn(state, run, rules, left));
}

/**
 * Returns whether a queued message closes the open questions. If a hook asks, only a message that came after
 * its question does. An earlier message is in no request yet, so the hook would ask again without end.
 * Returns `false` if all calls wait for a time: the message then waits for their results.
 */
function isOvertaken(state: SessionState, run: RunState): boolean {
  if (questionsOf(run).length === 0) return false;
  const hooksAskedAt = run.asked.filter(isWaiting).map(({ question }) => question.seq);
  return queuedMessages(state).some(({ seq }) => hooksAskedAt.every((askedAt) => seq > askedAt));
}

/** Decides the step of a process that lacks the run's credentials: ask for them, wait for them, or end. */
function credentialsFirst(run: RunState, withoutCredentials: "ask" | "stop"): Next {
  if (withoutCredentials === "stop") return { do: "end", stop: CREDENTIALS_MISSING };
  const pending = waitingFor(run);
  // Only the question for credentials is asked before a leg resumes.
  const hasAsked = run.asked.some((one) => one.before === "resume" && isWaiting(one));
  return hasAsked ? { do: "suspend", pending } : { do: "ask_credentials", run };
}

/**
 * Returns `next`, unless another step comes first: `after_turn` if its hooks were not called for the latest
 * turn, or `end` if one of them returned a stop reason. A process that is shutting down leaves a run that
 * does not end.
 */
function hooksFirst(run: RunState, now: Now, next: BetweenTurns): Next {
  if (run.turn !== undefined) {
    if (now.turnsNotified < run.turns && !now.aborted) return { do: "after_turn", turn: run.turn };
    if (now.hookStop !== undefined) return { do: "end", stop: now.hookStop };
  }
  return next.do !== "end" && now.draining ? { do: "leave" } : next;
}

/** Decides the step after a turn whose calls all have results: another turn, the landing turn, or the end. */
function nextTurn(state: SessionState, run: RunState, rules: Rules, left: Remaining): BetweenTurns {
  const landFor = landingReason(run, rules, left);
  const ownEnd = endOfLanding(run, left) ?? endOfTurn(run, left, landFor);
  if (ownEnd !== undefined && !isPostponed(state, ownEnd)) return { do: "end", stop: ownEnd };
  const stopBeforeTurn = firstStop(rules.stopWhen, run, state) ?? limitReached(left);
  // If a limit forbids the turn for a queued message, the run ends with its own stop reason, not the limit's.
  if (stopBeforeTurn !== undefined) return { do: "end", stop: ownEnd ?? stopBeforeTurn };
  return landFor === undefined ? { do: "model" } : { do: "land", stop: landFor };
}

/** Returns the stop reason of the limit for which the run must land now; otherwise `undefined`. */
function landingReason(run: RunState, { onLimit }: Rules, left: Remaining): StopReason | undefined {
  if (onLimit !== "land" || run.landing !== undefined) return undefined;
  return cutByLimit(run, left) ?? limitReached(left, reserve(left));
}

/**
 * Returns why the run ends with its latest answer; `undefined` if it continues. An answer that was cut off to
 * leave room for the landing turn does not end the run.
 */
function endOfTurn(run: RunState, left: Remaining, landFor: StopReason | undefined): StopReason | undefined {
  const limitStopOfCut = cutByLimit(run, left);
  const isCutOff = run.turn?.stopReason === null || limitStopOfCut !== undefined;
  const lands = landFor !== undefined || run.landing !== undefined;
  if (isCutOff && lands) return undefined;
  return limitStopOfCut ?? stopAfterTurn(run);
}

/**
 * Returns the stop reason for an answer that reached `max_tokens` after a limit had lowered it; otherwise
 * `undefined`.
 */
function cutByLimit({ turn }: RunState, left: Remaining): StopReason | undefined {
  if (turn?.stopReason !== "max_tokens" || turn.limitedBy === undefined) return undefined;
  return limitStop(left, turn.limitedBy);
}

/**
 * Returns the turns and the time to reserve for the landing turn. Tokens and cost for it are reserved by
 * `roomFor`, once the next prompt is known.
 */
function reserve({ scopeOf }: Remaining): Partial<Budget> {
  return { turns: 1, wallClockMs: landingTime(scopeOf("wallClockMs").limit) };
}

/**
 * Returns the time that is reserved for the landing turn at the end of a time limit, in milliseconds. Without
 * a limit, returns 0.
 */
export function landingTime(limitMs: number): number {
  return Number.isFinite(limitMs) ? limitMs * LANDING_TIME : 0;
}

/**
 * Returns `ABORTED` or `INTERRUPTED` if the user ended the run. A stop takes precedence over an interrupting
 * message.
 */
export function stopByUser({ stopRequested, interrupted }: RunState): StopReason | undefined {
  if (stopRequested) return ABORTED;
  return interrupted ? INTERRUPTED : undefined;
}

/** Returns the stop reason of a run whose processes crashed too often; otherwise `undefined`. */
function givenUp(run: RunState): StopReason | undefined {
  if (!isGivenUp(run)) return undefined;
  return {
    type: "crash_loop",
    message: "Something goes wrong every time I try this. Please try something else.",
  };
}

/**
 * Returns the limit's stop reason once the landing turn is over; otherwise `undefined`. If the model was
 * reminded of the output's schema in the landing turn, it answers once more, if the limits allow it.
 */
function endOfLanding({ landing, turns, turn }: RunState, left: Remaining): StopReason | undefined {
  if (landing === undefined || turns <= landing.turns) return undefined;
  const answersAgain = turn?.reminded === true && limitReached(left) === undefined;
  return answersAgain ? undefined : landing.stop;
}
