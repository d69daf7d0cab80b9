import { checkpointIfDue } from "./context/strategy.ts";
import { PawlError } from "./errors.ts";
import type { NewEvent, NextRun } from "./events/event.ts";
import type { SessionStatus } from "./events/session-row.ts";
import { errorEvent, type Leg, tellHooks } from "./leg.ts";
import { modelTurn } from "./model/turn.ts";
import { readyForNext } from "./next-run.ts";
import { overtake } from "./overtake.ts";
import { closeOpenCalls } from "./session/close.ts";
import { decide } from "./session/decide.ts";

import { eventKey } from "./session/keys.ts";
import { openRun, type RunState } from "./session/state.ts";
import { tokensOf } from "./session/tokens.ts";
import type { StopReason } from "./stop/stop-reason.ts";
import { turnLimit } from "./stop/turn-limit.ts";
import { runTools } from "./tools/execute.ts";

/**
 * THE LOOP. It asks the log what is next, does it, stores what came of it, and asks again: for a first leg, an answered
 * one and a recovered one alike. `true`: the run is suspended or ended, and the lease given back; `false`: there is
 * nothing to do, or not here.
 */
export async function runLoop(leg: Leg): Promise<boolean> {
  const stopWhen = [...leg.agent.stopWhen, turnLimit(leg.agent.limits.turns)];
  while (!leg.lost) {
    const next = decide(leg.log.state, stopWhen, leg.signal.aborted);
    switch (next.do) {
      case "tools":
        await runTools(leg, next.calls);
        break;
      case "model": {
        if (leg.draining) return false;
        await checkpointIfDue(leg);
        const failure = await modelTurn(leg);
        if (failure !== undefined && (await endRun(leg, failure))) return true;
        break;
      }
      case "suspend":
        if (
          await suspendRun(
            leg,
            next.pending.map((call) => call.callId),
          )
        )
          return true;
        break;
      case "overtake":
        await overtake(leg);
        break;
      case "end":
        if (await endRun(leg, next.stop)) return true;
        break;
      case "nothing":
        return false;
    }
  }
  return false;
}

/** Stops that leave the session in need of attention. */
const FAILED: readonly string[] = ["error", "turn_limit", "crash_loop", "context_window"];

/** Ends the run, with every call answered. `false`: something was stored meanwhile, look again. */
export async function endRun(leg: Leg, stop: StopReason): Promise<boolean> {
  const begin = await readyForNext(leg, stop);
  const run = openRun(leg.log.state);
  if (run === undefined) return false;
  const successor = begin();
  const events: NewEvent[] = closeOpenCalls(run, closingReason(stop, run));
  const reported = stop.type === "turn_limit" || stop.type === "crash_loop" || stop.type === "context_window";
  const error = errorEvent({ code: stop.type, message: stop.message, context: { turns: run.turns } });
  if (reported) events.push(error);
  const status = FAILED.includes(stop.type) ? "error" : (run.sessionStatus ?? "active");
  events.push(endEvent(run, stop, status, successor?.next), ...(successor?.events ?? []));
  const ended = await atTip(leg, events, successor === undefined);
  if (ended && reported) {
    await tellHooks(leg, leg.agent.hooks, error.data, {
      sessionId: leg.session.id,
      userId: leg.session.userId,
      runId: run.runId,
      agent: leg.agent.name,
    });
  }
  if (ended) await successor?.begun();
  return ended;
}

/** The event that ends a run, under a key that only one end can have. */
export function endEvent(
  run: RunState,
  stop: StopReason,
  sessionStatus: SessionStatus,
  next?: NextRun,
): NewEvent {
  return {
    type: "run_ended",
    key: eventKey.end(run.runId),
    data: {
      run_id: run.runId,
      stop,
      session_status: sessionStatus,
      turns: run.turns,
      tokens: tokensOf(run.usage),
      cost_cents: run.costCents,
      ...(next !== undefined && { next }),
    },
  };
}

function closingReason(stop: StopReason, run: RunState): string {
  if (run.interrupted && stop.type === "interrupted") return "the user wrote something else.";
  return stop.type === "aborted" ? "the run was stopped." : "the run ended before this call.";
}

async function suspendRun(leg: Leg, pending: string[]): Promise<boolean> {
  const run = openRun(leg.log.state);
  if (run === undefined) return false;
  return await atTip(leg, [{ type: "run_suspended", data: { run_id: run.runId, pending } }]);
}

/**
 * Stores the last events of a leg and gives the lease back, in one statement and only if nobody has stored anything in
 * between: an answer or message that arrives at this moment is either seen by this leg or finds the lease free.
 */
async function atTip(leg: Leg, events: readonly NewEvent[], release = true): Promise<boolean> {
  try {
    await leg.log.append(events, { atTip: true, release });
    return true;
  } catch (error) {
    if (PawlError.is(error, "conflict") || PawlError.is(error, "key_taken")) return false;
    throw error;
  }
}
