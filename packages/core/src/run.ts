import { checkpointIfDue } from "./context/strategy.ts";
import { PawlError } from "./errors.ts";
import type { NewEvent } from "./events/event.ts";
import type { SessionStatus } from "./events/session-row.ts";
import { tellHooks } from "./hooks/call-hooks.ts";
import { finalStop, runEffects } from "./hooks/end-hooks.ts";
import type { HookContext } from "./hooks/hook.ts";
import { afterTurn, planTurn } from "./hooks/turn-hooks.ts";
import { land } from "./land.ts";
import { errorEvent, type Leg } from "./leg.ts";
import { modelTurn } from "./model/turn.ts";
import { closeOpenCalls } from "./session/close.ts";
import { decide, type Next } from "./session/decide.ts";
import { eventKey } from "./session/keys.ts";
import { type CallState, openRun, type RunState } from "./session/state.ts";
import { tokensOf } from "./session/tokens.ts";
import { isFailed, isReported, type StopReason, worded } from "./stop/stop-reason.ts";
import { runTools } from "./tools/execute.ts";

/**
 * THE LOOP. It asks the log what is next, does it, stores what came of it, and asks again: for a first leg, an answered
 * one and a recovered one alike. `true`: the run is suspended or ended, and the lease given back; `false`: there is
 * nothing to do, or not here.
 */
export async function runLoop(leg: Leg): Promise<boolean> {
  while (!leg.lost) {
    const next = decide(leg.log.state, leg.agent, { legMs: leg.legMs(), halted: leg.halted });
    switch (next.do) {
      case "tools":
        await runTools(leg, next.calls);
        break;
      case "suspend":
        if (await suspendRun(leg, next.pending)) return true;
        break;
      case "nothing":
        return false;
      default: {
        const over = await turnOver(leg);
        if (over === "look again") break;
        const stop = over ?? (await goOn(leg, next));
        if (stop === "leave") return false;
        if (stop !== undefined && (await endRun(leg, stop))) return true;
      }
    }
  }
  return false;
}

/** Between two turns: tells the hooks that one is over. Comes back with why the run ends, if they say so. */
async function turnOver(leg: Leg): Promise<StopReason | "look again" | undefined> {
  const run = openRun(leg.log.state);
  if (run?.turn === undefined) return undefined;
  const { told, stop } = await afterTurn(leg, run.turns, run.turn);
  return stop ?? (told ? "look again" : undefined);
}

/** Begins the next turn, or ends the run. Comes back with why the run ends, if it does. */
async function goOn(
  leg: Leg,
  next: Extract<Next, { do: "model" | "land" | "end" }>,
): Promise<StopReason | "leave" | undefined> {
  if (next.do === "end") return next.stop;
  if (leg.draining) return "leave";
  if (next.do === "land") {
    await land(leg, next.stop);
    return undefined;
  }
  const planned = await planTurn(leg);
  if (leg.signal.aborted) return undefined;
  if ("stop" in planned) return planned.stop;
  await checkpointIfDue(leg);
  return await modelTurn(leg, planned.plan);
}

/** Ends the run, with every call answered. `false`: something was stored meanwhile, look again. */
export async function endRun(leg: Leg, reason: StopReason): Promise<boolean> {
  const run = openRun(leg.log.state);
  if (run === undefined) return false;
  const stop = run.ending ?? (await finalStop(leg, worded(leg.agent, reason)));
  if (!(await runEffects(leg, run, stop, closeOpenCalls(run, closingReason(stop))))) return false;
  const failed = isFailed(stop) && !hasLandedWell(run);
  const status = failed ? "error" : (run.sessionStatus ?? "active");
  const events = closeOpenCalls(run, closingReason(stop));
  const error = errorEvent({ code: stop.type, message: stop.message, context: { turns: run.turns } });
  if (isReported(stop)) events.push(error);
  events.push(endEvent(run, stop, status));
  const ended = await atTip(leg, events);
  if (ended && isReported(stop)) await tellHooks(leg, leg.agent.hooks, error.data, contextAtEnd(leg, run));
  return ended;
}

/** The user has got a proper word in the run's last turn. */
function hasLandedWell({ landing, turns, turn }: RunState): boolean {
  return landing !== undefined && turns > landing.turns && turn?.stopReason === "end_turn";
}

function contextAtEnd({ session, agent }: Leg, { runId }: RunState): HookContext {
  return { sessionId: session.id, userId: session.userId, runId, agent: agent.name };
}

/** The event that ends a run, under a key that only one end can have. */
export function endEvent(run: RunState, stop: StopReason, sessionStatus: SessionStatus): NewEvent {
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
    },
  };
}

function closingReason(stop: StopReason): string {
  return stop.type === "aborted" ? "the run was stopped." : "the run ended before this call.";
}

async function suspendRun(leg: Leg, waiting: readonly CallState[]): Promise<boolean> {
  const run = openRun(leg.log.state);
  if (run === undefined) return false;
  const pending = waiting.map((call) => call.callId);
  return await atTip(leg, [{ type: "run_suspended", data: { run_id: run.runId, pending } }]);
}

/**
 * Stores the last events of a leg and gives the lease back, in one statement and only if nobody has stored anything in
 * between: an answer that arrives at this moment is either seen by this leg or finds the lease free.
 */
async function atTip(leg: Leg, events: readonly NewEvent[]): Promise<boolean> {
  try {
    await leg.log.append(events, { atTip: true, release: true });
    return true;
  } catch (error) {
    if (PawlError.is(error, "conflict") || PawlError.is(error, "key_taken")) return false;
    throw error;
  }
}
