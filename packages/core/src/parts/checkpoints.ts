import { withinDeadline } from "../base/deadline.ts";
import { causeOf, messageOf } from "../base/errors.ts";
import { admitted } from "../context/admit.ts";
import { boundaryBefore, checkpointEvents, indexOf } from "../context/checkpoint.ts";
import { fileCheckpoint } from "../context/file-limits.ts";
import { isPaused } from "../context/server-calls.ts";
import type { CheckpointPlan, CheckpointSource } from "../context/strategy.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { afterBarrier, storeHeld } from "../loop/leg/stored-first.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import { estimatedPart, estimatedPrompt } from "../session/counted-prompt.ts";
import { openRun } from "../session/state.ts";
import { remainingOf } from "../stop/limits.ts";
import { roomFor } from "../stop/room.ts";
import { withAcceptedUserData } from "./refused-user-data.ts";

/**
 * Stores a checkpoint if the context has more files than one request may have, or if one of the agent's
 * strategies asks for it. Called between turns, when every call has its result. Returns whether a strategy
 * shortened the context.
 */
export async function checkpointIfDue(leg: Leg): Promise<boolean> {
  const { state } = leg.log;
  // The API continues a paused answer only if it is sent back unchanged.
  if (openRun(state) === undefined || isPaused(state)) return false;
  const uptoSeq = state.lastSeq;
  const files = fileCheckpoint(admitted(state, uptoSeq));
  if (files !== undefined) {
    await storeHeld(leg);
    const data = { ...files, upto_seq: uptoSeq };
    await leg.log.add(checkpointEvents(state, leg.run.agent, data, leg.run.newId()));
  }
  return leg.run.agent.checkpointWhen.length > 0 && (await checkpointByStrategy(leg));
}

/**
 * Asks the strategies, and stores a checkpoint by the first plan. Returns whether it was stored. If the model
 * has refused the prompt as too long, `tooManyChars` is how many characters have to go.
 */
export async function checkpointByStrategy(leg: Leg, tooManyChars = 0): Promise<boolean> {
  const { state } = leg.log;
  const { agent } = leg.run;
  const run = openRun(state);
  if (run === undefined || run.checkpointFailed) return false;
  const uptoSeq = state.lastSeq;
  const entries = admitted(state, uptoSeq);
  const chars = entries.reduce((sum, entry) => sum + entry.chars, state.prefix?.chars ?? 0);
  const estimateTokens = (length: number) => estimatedPart(state.counted, length, agent.estimateTokens);
  const source: CheckpointSource = {
    entries,
    estimatedTokens: estimatedPrompt(state.counted, { model: agent.model.id, chars }, agent.estimateTokens),
    estimateTokens,
    ...(tooManyChars > 0 && { mustFreeTokens: estimateTokens(tooManyChars) }),
    run,
    userId: leg.run.session.userId,
    roomFor: (call) => {
      const room = roomFor(remainingOf(state, leg.run.agent, leg.life.legMs()), call, true);
      return "type" in room ? 0 : room.maxTokens;
    },
    signal: leg.life.signal,
  };
  await storeHeld(leg);
  const planned = await firstPlan(leg, source).catch((failure: unknown) => ({ failure }));
  if (planned === undefined) return false;
  const { toReport = [], response, failure }: Partial<CheckpointPlan> = planned;
  if (toReport.length > 0) await afterBarrier(leg, () => toReport.forEach(leg.report.toFix));
  const isStopped = leg.life.signal.aborted;
  if (!isStopped && "reason" in planned && failure === undefined)
    return await storeCheckpoint(leg, entries, uptoSeq, planned);
  if (response !== undefined) await leg.log.add([response]);
  if (isStopped) return false;
  const context = causeOf(failure);
  await leg.report.logError({ code: "checkpoint_failed", message: messageOf(failure), context });
  return false;
}

/** Returns the first plan of the agent's strategies, in their order; `undefined` if none has one. */
async function firstPlan(leg: Leg, source: CheckpointSource): Promise<CheckpointPlan | undefined> {
  for (const strategy of leg.run.agent.checkpointWhen) {
    const plan = await afterBarrier(leg, () => withinDeadline(leg.life, strategy(source)));
    if (plan === undefined) continue;
    if (plan.summary !== undefined && typeof plan.summary !== "string")
      throw new TypeError(`a summary must be a string, not of type ${typeof plan.summary}.`);
    return plan;
  }
  return undefined;
}

/**
 * Stores the checkpoint of a plan. Returns `false` if the plan would shorten nothing. The model call by which
 * the strategy made the plan is charged in any case.
 */
async function storeCheckpoint(
  leg: Leg,
  entries: readonly ContextEntry[],
  uptoSeq: number,
  { reason, fromSeq, summary, response }: CheckpointPlan,
): Promise<boolean> {
  const index = indexOf(entries, fromSeq);
  // The kept part must begin where a conversation can begin. Without a summary, the user must begin it.
  const start = reason === "drop_old_results" ? index : boundaryBefore(entries, index, summary === undefined);
  const first = entries[start];
  const charged = response === undefined ? [] : [response];
  if (start <= 0 || first === undefined) {
    if (charged.length > 0) await leg.log.add(charged);
    return false;
  }
  const data = {
    from_seq: first.seq,
    upto_seq: uptoSeq,
    reason,
    ...(summary !== undefined && { summary: summary.toWellFormed() }),
  };
  const state = reason === "drop_old_results" ? leg.log.state : await withAcceptedUserData(leg, entries);
  await leg.log.add([...charged, ...checkpointEvents(state, leg.run.agent, data, leg.run.newId())]);
  return true;
}
