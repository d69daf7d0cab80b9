import { PawlError } from "../base/errors.ts";
import { land } from "../leg/land.ts";
import type { Leg } from "../leg/leg.ts";
import type { NewEvent } from "../log/event.ts";
import { type StopReason, sessionOver } from "../log/stop-reason.ts";
import { closeOpenCalls } from "../session/close-calls.ts";
import { lostAnswer } from "../session/open-attempt.ts";
import { type CallState, openRun } from "../session/state.ts";
import { checkpointIfDue } from "./checkpoint-if-due.ts";
import { decide, type Next } from "./decide.ts";
import { endingOf, tellAtEnd } from "./hooks/end-hooks.ts";
import { afterTurn, planTurn, tellOfSuspension } from "./hooks/turn-hooks.ts";
import { readyForNext } from "./next-run.ts";
import { runTools } from "./tools/run-tools.ts";
import { modelTurn } from "./turn/turn.ts";

/**
 * THE LOOP. It asks the log what is next, does it, stores what came of it, and asks again: for a first leg, an answered
 * one and a recovered one alike. `true`: the run is suspended or ended, and the lease given back; `false`: there is
 * nothing to do, or not here.
 */
export async function runLoop(leg: Leg): Promise<boolean> {
  while (!leg.lost) {
    if (openRun(leg.log.state)?.attempt !== undefined) await chargeLostAnswer(leg);
    const next = decide(leg.log.state, leg.agent, { legMs: leg.legMs(), halted: leg.halted });
    switch (next.do) {
      case "tools":
        await runTools(leg, next.calls);
        break;
      case "suspend":
        if (await suspendRun(leg, next.pending, leg.log.state.lastSeq)) return true;
        break;
      case "overtake":
        await overtake(leg);
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

/**
 * Charges a request that has no answer. No request is in flight here, so the answer was lost. The next
 * decision counts the charge.
 */
export async function chargeLostAnswer({ log }: Leg): Promise<void> {
  const attempt = openRun(log.state)?.attempt;
  if (attempt !== undefined) await log.append([lostAnswer(attempt)]);
}

/** Between two turns: tells the hooks that one is over. Comes back with why the run ends, if they say so. */
async function turnOver(leg: Leg): Promise<StopReason | "look again" | undefined> {
  const run = openRun(leg.log.state);
  if (run?.turn === undefined || run.ending !== undefined) return undefined;
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
  if (planned.stop) return planned.stop;
  if (leg.agent.checkpointWhen.length > 0) await checkpointIfDue(leg);
  return await modelTurn(leg, planned.plan);
}

/**
 * Ends the run, with every call answered, and begins the next one where a message waits for it. `false`: something was
 * stored meanwhile, look again.
 */
export async function endRun(leg: Leg, reason: StopReason): Promise<boolean> {
  const run = openRun(leg.log.state);
  const ending = run && (await endingOf(leg, run, reason));
  if (ending === undefined) return false;
  const begin = await readyForNext(leg);
  // From here to the append nothing is awaited: a message that comes now is seen by it.
  const successor = begin();
  const events = [...ending.events(successor?.next), ...(successor?.events ?? [])];
  if (!(await appendAtTip(leg, leg.log.state.lastSeq, events, successor === undefined))) return false;
  if (ending.error !== undefined) await tellAtEnd(leg, ending.error);
  await successor?.begun();
  return true;
}

/**
 * Suspends the run, or ends it if its session is over and nobody will answer. Returns `false` if something
 * was stored after `decidedAt`, the event on which the suspension was decided; decide again.
 */
async function suspendRun(leg: Leg, waiting: readonly CallState[], decidedAt: number): Promise<boolean> {
  const run = openRun(leg.log.state);
  if (run === undefined) return false;
  const status = await leg.status();
  if (status === "expired" || status === "completed") return await endRun(leg, sessionOver(status));
  // Hooks may have appended: decide again.
  if (await tellOfSuspension(leg, waiting)) return false;
  const pending = waiting.map((call) => call.callId);
  return await appendAtTip(leg, decidedAt, [{ type: "run_suspended", data: { run_id: run.runId, pending } }]);
}

/**
 * Stores the last events of a leg and releases the lease in one statement, only if `seq` is still the last
 * event. An answer, stop or message that arrives at this moment is either seen by this leg or finds the lease
 * free.
 */
async function appendAtTip(
  leg: Leg,
  seq: number,
  events: readonly NewEvent[],
  release = true,
): Promise<boolean> {
  try {
    await leg.log.appendAfter(seq, events, { release });
    return true;
  } catch (error) {
    if (PawlError.is(error, "conflict") || PawlError.is(error, "key_taken")) return false;
    throw error;
  }
}

/**
 * Closes questions that a message has overtaken: the run goes on with the message, and may ask again. If an answer is
 * stored at this moment, it is looked at first.
 */
export async function overtake(leg: Leg): Promise<void> {
  const run = openRun(leg.log.state);
  if (run === undefined) return;
  const events = closeOpenCalls(run, "the user wrote a new message instead of answering.");
  try {
    await leg.log.appendAfter(leg.log.state.lastSeq, events);
  } catch (error) {
    if (!PawlError.is(error, "conflict") && !PawlError.is(error, "key_taken")) throw error;
  }
}
