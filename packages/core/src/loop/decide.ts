import type { Budget } from "../log/budget.ts";
import { ABORTED, CREDENTIALS_MISSING, INTERRUPTED, type StopReason } from "../log/stop-reason.ts";
import { type Asking, isWaiting } from "../session/asking.ts";
import { isGivenUp } from "../session/given-up.ts";
import type { OpenAttempt } from "../session/open-attempt.ts";
import { expiredBy, isPostponed, questionsOf, queuedMessages, waitingFor } from "../session/queued.ts";
import {
  type CallState,
  openRun,
  type RunState,
  type SessionState,
  type TurnState,
  unanswered,
} from "../session/state.ts";
import { type Limited, limitReached, limitStop, type Remaining, remainingOf } from "../stop/limits.ts";
import { firstStop, type StopCondition } from "../stop/stop-condition.ts";
import { stopAfterTurn } from "./after-turn.ts";

/** The next step of a leg. */
export type Next =
  /** Charges a request whose answer was lost. */
  | { do: "charge"; attempt: OpenAttempt }
  | { do: "tools"; calls: CallState[] }
  | { do: "suspend"; pending: Asking[] }
  /** Asks for credentials, which this process lacks. */
  | { do: "ask_credentials"; run: RunState }
  /** Answers questions that have expired with their defaults. */
  | { do: "expire"; expired: Asking[] }
  /** Closes questions because the user has sent a message instead of an answer. */
  | { do: "close_questions"; run: RunState }
  /** Notifies the hooks that a turn is over. */
  | { do: "after_turn"; turn: TurnState }
  | BetweenTurns
  /** Leaves the run to another process, because this one is shutting down. */
  | { do: "leave" }
  | { do: "nothing" };

/** The next step once every call of the last turn has its result. `land` is one last turn without tools. */
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
  /** The reason to end the run at once, e.g. a stop; otherwise `undefined`. */
  halted: StopReason | undefined;
  /** Why the run ends as an error, even if it was stopped. */
  failed: StopReason | undefined;
  /** Whether in-flight work is aborted. */
  aborted: boolean;
  /** Whether the process is shutting down. */
  draining: boolean;
  /**
   * What to do because this process lacks the run's credentials; `undefined` if it has them or the run needs
   * none.
   */
  withoutCredentials: "ask" | "stop" | undefined;
  /** When the leg began, by the store's clock. ISO 8601. */
  begunAt: string;
  /** The number of turns for which the `afterTurn` hooks were called. */
  turnsNotified: number;
  /** The stop reason that an `afterTurn` hook returned for the last of these turns. */
  hookStop: StopReason | undefined;
}

/** The share of the time limit that is reserved for a last turn. */
const LANDING_TIME = 0.2;

/**
 * Decides the next step of the session's open run. A pure function of the log and the leg's state, so that a
 * first, an answered and a recovered leg take the same steps.
 */
export function decide(state: SessionState, rules: Rules, now: Now): Next {
  const run = openRun(state);
  if (run === undefined) return { do: "nothing" };
  // No request is in flight when the loop decides. So the answer of an open request was lost, and its cost
  // counts below.
  if (run.attempt !== undefined) return { do: "charge", attempt: run.attempt };
  const over = run.ending ?? now.failed ?? stopAsked(run) ?? now.halted ?? givenUp(run);
  // Calls may lack results here, so `afterTurn` hooks are not called.
  if (over !== undefined) return { do: "end", stop: over };
  const left = remainingOf(state, rules, now.legMs);
  const open = unanswered(run);
  if (left.amounts.wallClockMs <= 0) {
    const end = { do: "end" as const, stop: limitStop(left, "wallClockMs") };
    return open.length > 0 ? end : hooksFirst(run, now, end);
  }
  const pending = waitingFor(run);
  const expired = expiredBy(pending, [state.lastAt, now.begunAt]);
  if (expired.length > 0) return { do: "expire", expired };
  if (now.withoutCredentials !== undefined) return credentialsFirst(run, now.withoutCredentials);
  const toRun = open.filter((call) => !isWaiting(call));
  if (toRun.length > 0) return { do: "tools", calls: toRun };
  if (pending.length > 0) {
    return isOvertaken(state, run) ? { do: "close_questions", run } : { do: "suspend", pending };
  }
  return hooksFirst(run, now, nextTurn(state, run, rules, left));
}

/**
 * Returns whether a queued message closes the open questions. A message from before a hook's question does
 * not: no request contains it yet, so the hook would ask the same question without end. Calls that wait for a
 * time are like running ones: a message waits for their results.
 */
function isOvertaken(state: SessionState, run: RunState): boolean {
  if (questionsOf(run).length === 0) return false;
  const questions = run.asked.filter(isWaiting).map(({ question }) => question.seq);
  return queuedMessages(state).some(({ seq }) => questions.every((question) => seq > question));
}

/** Decides the step of a process that lacks the run's credentials: it does nothing else for the run. */
function credentialsFirst(run: RunState, how: "ask" | "stop"): Next {
  if (how === "stop") return { do: "end", stop: CREDENTIALS_MISSING };
  const pending = waitingFor(run);
  const isAsked = run.asked.some((one) => one.before === "resume" && isWaiting(one));
  return isAsked ? { do: "suspend", pending } : { do: "ask_credentials", run };
}

/**
 * Returns `next`, with three exceptions: the `afterTurn` hooks must be called first, they have ended the run,
 * or the process is shutting down.
 */
function hooksFirst(run: RunState, now: Now, next: BetweenTurns): Next {
  if (run.turn !== undefined) {
    if (now.turnsNotified < run.turns && !now.aborted) return { do: "after_turn", turn: run.turn };
    if (now.hookStop !== undefined) return { do: "end", stop: now.hookStop };
  }
  return next.do !== "end" && now.draining ? { do: "leave" } : next;
}

/** Decides the step after a turn whose calls all have results: another turn, the last one, or the end. */
function nextTurn(state: SessionState, run: RunState, rules: Rules, left: Remaining): BetweenTurns {
  const last = lastTurnFor(run, rules, left);
  const ordinary = landed(run, left) ?? endOfTurn(run, left, last);
  if (ordinary !== undefined && !isPostponed(state, ordinary)) return { do: "end", stop: ordinary };
  const limit = firstStop(rules.stopWhen, run, state) ?? limitReached(left);
  // A run that ended by itself keeps that stop reason, even if a limit would prevent its next turn.
  if (limit !== undefined) return { do: "end", stop: ordinary ?? limit };
  return last === undefined ? { do: "model" } : { do: "land", stop: last };
}

/** Returns the limit for which the run gets one last turn now; otherwise `undefined`. */
function lastTurnFor(run: RunState, { onLimit }: Rules, left: Remaining): StopReason | undefined {
  if (onLimit !== "land" || run.landing !== undefined) return undefined;
  return cutByLimit(run, left) ?? limitReached(left, reserve(left));
}

/**
 * Returns why the run ends with its last answer; `undefined` if it continues. An answer that was cut off to
 * leave room for the last turn does not end the run.
 */
function endOfTurn(run: RunState, left: Remaining, last: StopReason | undefined): StopReason | undefined {
  const cut = cutByLimit(run, left);
  const isCutOff = run.turn?.stopReason === null || cut !== undefined;
  if (isCutOff && (last ?? run.landing) !== undefined) return undefined;
  return cut ?? stopAfterTurn(run);
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
 * Returns the turns and the time to reserve for a last turn. Tokens and cost are checked once its prompt is
 * known.
 */
function reserve({ scopeOf }: Remaining): Partial<Budget> {
  return { turns: 1, wallClockMs: landingTime(scopeOf("wallClockMs").limit) };
}

/**
 * Returns the length of the last part of a time limit, in which only the last turn may start. In
 * milliseconds.
 */
export function landingTime(limitMs: number): number {
  return Number.isFinite(limitMs) ? limitMs * LANDING_TIME : 0;
}

/**
 * Returns `ABORTED` or `INTERRUPTED` if the user ended the run. A stop takes precedence over an interrupting
 * message.
 */
export function stopAsked({ stopRequested, interrupted }: RunState): StopReason | undefined {
  return stopRequested ? ABORTED : interrupted ? INTERRUPTED : undefined;
}

function givenUp(run: RunState): StopReason | undefined {
  if (!isGivenUp(run)) return undefined;
  return {
    type: "crash_loop",
    message: "Something goes wrong every time I try this. Please try something else.",
  };
}

/**
 * Returns the limit's stop reason once the landing turn is over. If the model was reminded of the output's
 * schema in that turn, it answers once more, if the limits allow it.
 */
function landed({ landing, turns, turn }: RunState, left: Remaining): StopReason | undefined {
  if (landing === undefined || turns <= landing.turns) return undefined;
  return turn?.reminded && limitReached(left) === undefined ? undefined : landing.stop;
}
