import { haveFiles } from "../context/file-blocks.ts";
import type { StoredEvent } from "../log/event.ts";
import { isByLogOnly } from "../log/log-only.ts";
import type { StopReason } from "../log/stop-reason.ts";
import { expiredAnswer } from "../session/close-calls.ts";
import { lostAnswer } from "../session/open-attempt.ts";
import { openRun, unanswered } from "../session/state.ts";
import { decide, type Next, type Now } from "./decide.ts";
import { closeOvertakenQuestions, endRun, land, suspendRun } from "./end-run.ts";
import { hooksWith } from "./hooks/call-hooks.ts";
import { planTurn, runAfterTurnHooks } from "./hooks/turn-hooks.ts";
import type { Leg } from "./leg/leg.ts";
import { DECIDE_AGAIN, storedFirst } from "./leg/stored-first.ts";
import { runTools } from "./tools/run-tools.ts";
import type { InsteadOfCall } from "./turn/plan-call.ts";
import { modelTurn } from "./turn/turn.ts";

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
      if (leg.access.hasNewCaller && over === undefined) await renewIfDue(leg);
      if (asksApplication(leg)) await storedFirst(leg);
      leg.log.decide();
      const next = instead ?? decide(leg.log.state, leg.run.agent, nowOf(leg, over));
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
          await leg.log.follow([(await leg.parts.load()).credentialsQuestion(next.run)]);
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
function asksApplication({ log, run: { agent } }: Leg): boolean {
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
  await leg.access.renew();
}

/** What is asked of a leg about its credentials. */
interface Credited {
  readonly log: Pick<Leg["log"], "state">;
  readonly access: { readonly credentials?: unknown };
}

/** Whether the run was given credentials that this process does not have. */
export function lacksCredentials({ log, access }: Credited): boolean {
  return access.credentials === undefined && openRun(log.state)?.needsCredentials === true;
}

/** Returns the leg's state for `decide`. */
function nowOf(leg: Leg, over: StopReason | undefined): Now {
  const {
    life,
    once: { hooks: hookProgress },
  } = leg;
  const { halted, draining, signal } = life;
  const turnsNotified =
    hooksWith(leg, "afterTurn").length === 0 ? Number.POSITIVE_INFINITY : hookProgress.turns;
  return {
    legMs: life.legMs(),
    halted,
    failed: over,
    aborted: signal.aborted,
    draining,
    withoutCredentials: lacksCredentials(leg) ? leg.run.withoutCredentials : undefined,
    begunAt: leg.run.begunAt,
    turnsNotified,
    hookStop: hookProgress.stop,
  };
}

/**
 * Runs one turn: reads the user data again if a tool ran, calls the hooks that plan the turn, then the model.
 * Resolves to the next step if it cannot be derived from the log.
 */
async function runTurn(leg: Leg): Promise<InsteadOfCall | undefined> {
  if (leg.run.agent.userData !== undefined) await (await leg.parts.load()).refreshUserData(leg);
  if (leg.life.signal.aborted) return undefined;
  let planned = await planTurn(leg);
  // Hooks are called first, because they may refuse the turn, and a summary costs money. They are called
  // again after a checkpoint, which may have removed what they appended, and when the run is recovered.
  const { aborted } = leg.life.signal;
  if (planned.plan !== undefined && !aborted && mayBeDue(leg)) {
    const { checkpointIfDue } = await leg.parts.load();
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

/** Returns whether a checkpoint may be due: the agent has strategies, or the context may have files. */
// Saves most agents a copy of the whole context before each turn.
export function mayBeDue({ log: { state }, run: { agent } }: Leg): boolean {
  if (agent.checkpointWhen.length > 0) return true;
  return state.unsent.some(bringsFiles) || state.entries.some(({ blocks }) => haveFiles(blocks));
}

function bringsFiles({ type, data }: StoredEvent): boolean {
  if (type === "tool_result") return Array.isArray(data.content);
  return type === "user_message" && data.files !== undefined;
}
