import { haveMedia } from "../context/file-blocks.ts";
import type { StoredEvent } from "../log/event.ts";
import { isLogOnly } from "../log/log-only.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { Asking } from "../session/asking.ts";
import { expiredAnswer } from "../session/close-calls.ts";
import { lostAnswer } from "../session/open-attempt.ts";
import { callsWithoutResult, openRun } from "../session/state.ts";
import { decide, type Next, type Now } from "./decide.ts";
import { endRun } from "./end-run.ts";
import { hooksWith } from "./hooks/call-hooks.ts";
import { planTurn, runAfterTurnHooks } from "./hooks/turn-hooks.ts";
import type { Leg } from "./leg/leg.ts";
import { DECIDE_AGAIN, storeHeld } from "./leg/stored-first.ts";
import { runTools } from "./tools/run-tools.ts";
import type { InsteadOfCall } from "./turn/plan-call.ts";
import { modelTurn } from "./turn/turn.ts";

/**
 * THE LOOP. Decides the next step from the log, takes it, stores the outcome, and decides again. A run's
 * first leg, a leg after an answer and a leg after a crash all go through it. With `failure`, the run ends
 * for this reason.
 *
 * Returns `true` once the run is suspended or ended. The lease is then released, or kept for the next run.
 * Returns `false` if there is nothing to do, or another process continues the run.
 */
// A step stores two kinds of events in `leg.log`, see `SessionLog`:
// - Facts have happened, e.g. a result. `add()` stores them at once. `hold()` leaves them to the next append.
// - Decisions follow from the state, e.g. a request. `beginDecision()` remembers the state on which they are
//   based. `storeDecision()` stores them at once. `holdDecision()` leaves them to the next append.
// Held events are in the state before they are stored. `barrier()` stores them before code of the application
// is called. `storeHeld()`, `afterBarrier()`, `callHook()` and `validateFor()` call the barrier.
// If another process stores something before held events, the decision is void. Then `holdDecision()` does
// nothing, and `storeDecision()` and `barrier()` throw `DECIDE_AGAIN`. The loop catches it and decides again.
export async function runLoop(leg: Leg, failure?: StopReason): Promise<boolean> {
  // The next step after a turn, if the log does not show it, e.g. because a hook ended the run.
  let nextFromTurn: Next | undefined;
  while (!leg.life.lost) {
    try {
      if (leg.access.hasNewCaller && failure === undefined) await renewCaller(leg);
      // `decide` cannot wait for the barrier, so it comes first.
      if (mayCallStopConditions(leg)) await storeHeld(leg);
      leg.log.beginDecision();
      const next = nextFromTurn ?? decide(leg.log.state, leg.run.agent, nowOf(leg, failure));
      nextFromTurn = undefined;
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
          nextFromTurn = await runTurn(leg);
          break;
        case "land":
          await (await leg.parts.load()).land(leg, next.stop);
          break;
        case "close_questions":
          await (await leg.parts.load()).closeOvertakenQuestions(leg, next.run);
          break;
        case "expire":
          // If the user's answer is stored first, nothing is appended, and that answer counts.
          await leg.log.appendAtTip(next.expired.map(expiredAnswer));
          break;
        case "ask_credentials":
          await leg.log.storeDecision([(await leg.parts.load()).credentialsQuestion(next.run)]);
          break;
        case "suspend":
          if (await suspend(leg, next.pending)) return true;
          break;
        case "end":
          if (await endRun(leg, next.stop)) return true;
          break;
        case "leave":
        case "nothing":
          await storeHeld(leg);
          return false;
      }
    } catch (cause) {
      if (cause !== DECIDE_AGAIN) throw cause;
    }
  }
  return false;
}

/** Suspends the run, if nothing is stored after the last event of the state. */
async function suspend(leg: Leg, waiting: readonly Asking[]): Promise<boolean> {
  const { lastSeq } = leg.log.state;
  return await (await leg.parts.load()).suspendRun(leg, waiting, lastSeq);
}

/**
 * Returns whether `decide` may call a stop condition of the application. It calls none while calls have no
 * results.
 */
function mayCallStopConditions({ log, run: { agent } }: Leg): boolean {
  const run = openRun(log.state);
  return run !== undefined && callsWithoutResult(run).length === 0 && !agent.stopWhen.every(isLogOnly);
}

/**
 * Gives the leg the caller of the newest answer. If in-flight work was aborted, e.g. by a stop, the leg keeps
 * the caller for whom it has worked.
 */
async function renewCaller(leg: Leg): Promise<void> {
  if (leg.life.signal.aborted) return;
  await storeHeld(leg);
  await leg.access.renew();
}

/** The parts of a leg that `lacksCredentials` reads. */
interface Credited {
  readonly log: Pick<Leg["log"], "state">;
  readonly access: { readonly credentials?: unknown };
}

/** Returns whether the run was given credentials that this process does not have. */
export function lacksCredentials({ log, access }: Credited): boolean {
  return access.credentials === undefined && openRun(log.state)?.needsCredentials === true;
}

/** Returns the part of the leg's state that is not in the log, for `decide`. */
function nowOf(leg: Leg, failure: StopReason | undefined): Now {
  const {
    life,
    once: { hooks: hookProgress },
  } = leg;
  const { halted, draining, signal } = life;
  // Without `afterTurn` hooks, every turn counts as notified.
  const turnsNotified =
    hooksWith(leg, "afterTurn").length === 0 ? Number.POSITIVE_INFINITY : hookProgress.turns;
  return {
    legMs: life.legMs(),
    halted,
    failed: failure,
    aborted: signal.aborted,
    draining,
    withoutCredentials: lacksCredentials(leg) ? leg.run.withoutCredentials : undefined,
    begunAt: leg.run.begunAt,
    clockSetBack: leg.run.clockSetBack !== undefined,
    turnsNotified,
    hookStop: hookProgress.stop,
  };
}

/**
 * Runs one turn: reads the user data again if a tool ran, calls the hooks that plan the turn, then the model.
 * Resolves to the next step if it cannot be derived from the log; otherwise to `undefined`.
 */
async function runTurn(leg: Leg): Promise<InsteadOfCall | undefined> {
  if (leg.run.agent.userData !== undefined) await (await leg.parts.load()).refreshUserData(leg);
  if (leg.life.signal.aborted) return undefined;
  let planned = await planTurn(leg);
  // The hooks come before the checkpoint: they may end the run, and the summary of a checkpoint costs money.
  // They are called again after a checkpoint, because it may have removed events that they appended.
  const { aborted } = leg.life.signal;
  if (planned.plan !== undefined && !aborted && mayNeedCheckpoint(leg)) {
    const { checkpointIfDue } = await leg.parts.load();
    if (await checkpointIfDue(leg)) planned = await planTurn(leg);
  }
  // If another process has stored something, the decision to run a turn may be void. Held results are then
  // dropped, and their calls are open again.
  if (leg.life.signal.aborted || leg.life.lost || leg.log.isVoid) return undefined;
  const { plan, stop, question } = planned;
  if (stop !== undefined) return { do: "end", stop };
  if (question === undefined) return await modelTurn(leg, plan);
  await leg.log.storeDecision([question]);
  return undefined;
}

/** Returns whether a checkpoint may be due: the agent has strategies, or the context may have files. */
// The check itself copies the whole context. Most agents need no check.
export function mayNeedCheckpoint({ log: { state }, run: { agent } }: Leg): boolean {
  if (agent.checkpointWhen.length > 0) return true;
  return state.unsent.some(bringsFiles) || state.entries.some(({ blocks }) => haveMedia(blocks));
}

/** Returns whether an event may have files: a result that has content blocks, or a message with files. */
function bringsFiles({ type, data }: StoredEvent): boolean {
  if (type === "tool_result") return Array.isArray(data.content);
  return type === "user_message" && data.files !== undefined;
}
