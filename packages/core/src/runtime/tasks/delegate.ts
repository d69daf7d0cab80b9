import type { Agent } from "../../agent/agent.ts";
import { agentOf } from "../../agent/agent-tool.ts";
import { delay } from "../../base/clock.ts";
import { PawlError, type PawlErrorCode } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { isBlank } from "../../base/text.ts";
import { loadState } from "../../fold/load.ts";
import type { Session } from "../../log/session-row.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import type { Delegated, Delegation } from "../../loop/leg/part-types.ts";
import { isResting } from "../../session/queued.ts";
import { type CallState, openRun, type SessionState } from "../../session/state.ts";
import { recover } from "../begin/begin.ts";
import { beginWithAnswers } from "../begin/begin-with-answers.ts";
import { beginWithMessage, type LoadsMeeting } from "../begin/begin-with-message.ts";
import { earlierRun } from "../begin/earlier-run.ts";
import type { IncomingMessage } from "../begin/incoming-message.ts";
import { queueHere, queueMessage } from "../begin/queue-message.ts";
import { endSupersededRun } from "../begin/supersede.ts";
import type { AskedBy, Host, LegOutcome, Work } from "../leg/host.ts";
import { childAgent, openChild } from "./child-session.ts";
import { outcomeOf } from "./task-outcome.ts";

/** The code for a message that meets a run is in the same chunk as this file. */
const meeting: LoadsMeeting = async () => ({ earlierRun, queueHere, queueMessage, endSupersededRun });

/**
 * Has a sub-agent do a call's work in its own session: gives it the task, passes the user's answer on, or
 * continues after a crash.
 */
export async function delegateCall(host: Host, leg: Leg, delegated: Delegated): Promise<Delegation> {
  const { call, delegate, input, slice } = delegated;
  const agent = childAgent(agentOf(delegated.agent), leg.run.agent.name, call.toolName, slice);
  const session = await openChild(host, leg, call.callId, agent.name);
  if (delegate.showsText) showText(leg, call, delegated.agent.name, session.id);
  const task = {
    session,
    agent,
    message: delegate.message(input),
    params: callerParams(leg),
    ...callerOf(leg),
  };
  // A process that takes over the caller's run looks for sessions of sub-agents. It finds this one, or this
  // process no longer has the lease, and asks no model.
  const mayBegin = () => leg.life.renewLease();
  const state = await whileWanted(leg, async (signal) => {
    const begun = await giveWork(host, { ...task, signal, mayBegin }, call);
    return await untilRest(host, leg, { session, agent, signal }, begun);
  });
  return state && outcomeOf(call, state, delegated.durationMs());
}

/**
 * Calls `work` with a signal that aborts when the caller's run is stopped, and not when this process leaves
 * it to another one. A sub-agent that begins after the stop sees it before it asks its model.
 */
async function whileWanted<T>({ life }: Leg, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const onAbort = () => {
    if (!life.lost) stop.abort();
  };
  if (life.signal.aborted) onAbort();
  else life.signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await work(stop.signal);
  } finally {
    life.signal.removeEventListener("abort", onAbort);
  }
}

/**
 * Returns the caller's `params` for the sub-agent, so that a hook that denies calls by their `params` cannot
 * be bypassed.
 */
function callerParams(leg: Leg): JsonObject | undefined {
  const { params = {} } = openRun(leg.log.state) ?? {};
  return Object.keys(params).length === 0 ? undefined : params;
}

/** Returns the caller and credentials for the sub-agent: those of the calling run. */
function callerOf({ access: { caller, credentials } }: Leg): AskedBy {
  return { ...(Object.keys(caller).length > 0 && { caller }), credentials };
}

/** Shows the sub-agent's text to the caller's readers while the call runs. */
function showText(leg: Leg, { callId, toolName }: CallState, agent: string, session_id: string): void {
  leg.readers.live.agents.set(callId, { tool_name: toolName, agent, session_id });
  leg.readers.touch();
}

/**
 * Errors after which the sub-agent's log says how to continue: its task or answer is already stored, or its
 * question is still open.
 */
const SETTLED: readonly PawlErrorCode[] = ["already_answered", "session_busy", "invalid_answer"];

/** The session and agent of a task, and the signal that stops its run. */
interface Task {
  session: Session;
  agent: Agent;
  signal: AbortSignal;
}

/** Gives the task or the answer to the sub-agent. Returns the leg if one was started here. */
async function giveWork(
  host: Host,
  task: Task & Pick<IncomingMessage, "message" | "params" | "mayBegin"> & AskedBy,
  call: CallState,
): Promise<Work | undefined> {
  const { session, agent, message, caller, credentials, signal } = task;
  const question = call.question?.child;
  const answer = call.answer;
  const asked = { ...(caller && { caller }), credentials, signal };
  try {
    if (question !== undefined && answer?.expired) {
      // The sub-agent's own question expires at the same time, and so gets its default.
      return await recover(host, session, agent, asked);
    }
    if (question !== undefined && answer !== undefined) {
      // With `question`, an answer that is passed on twice, after a crash, cannot answer a later question.
      const said = answer.error === undefined ? { value: answer.value } : { error: answer.error };
      const answers = [{ callId: question.callId, question: question.question, ...said }];
      return (await beginWithAnswers(host, { session, agent, answers, ...asked })).work;
    }
    if (isBlank(message)) throw new PawlError("invalid_input", "The message for the sub-agent is empty.");
    const incoming = { ...task, isTask: true as const, clientMessageId: "task", whenBusy: "reject" as const };
    return (await beginWithMessage(host, incoming, meeting)).work;
  } catch (error) {
    // A process that crashed may have passed it on already. Or the sub-agent's own schema is stricter than
    // the one in the log, and the question must be asked again.
    if (SETTLED.some((code) => PawlError.is(error, code))) return undefined;
    throw error;
  }
}

async function untilRest(
  host: Host,
  leg: Leg,
  { session, agent, signal }: Task,
  begun: Work | undefined,
): Promise<SessionState | undefined> {
  let active = begun;
  for (;;) {
    if (active !== undefined) {
      const { state, settled } = await followed(leg, active);
      if (settled) return state;
    }
    const state = await loadState(host.store, session.id);
    if (isAtRest(state)) return state;
    if (leg.life.lost || leg.life.draining) return undefined;
    active = await recover(host, session, agent, { ...callerOf(leg), signal });
    // Another leg has the lease, or had it until a moment ago.
    if (active === undefined) await delay(host.clock, Math.min(host.pollMs, 100));
  }
}

/** Returns whether the sub-agent has finished, or waits: for the user's answer, or for a time. */
function isAtRest({ run }: SessionState): boolean {
  return run !== undefined && (run.ended !== undefined || isResting(run));
}

/**
 * Waits for the sub-agent's leg. Stops the sub-agent's run if the caller's run is stopped. If this process
 * leaves the caller's run to another process, it leaves the sub-agent's run, too.
 */
async function followed(leg: Leg, active: Work): Promise<LegOutcome> {
  const { life } = leg;
  const { signal } = life;
  const onAbort = () => (life.lost ? active.leave(life.leaving ?? "hand_over") : active.abort());
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await active.done;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
