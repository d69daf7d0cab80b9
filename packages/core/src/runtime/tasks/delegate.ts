import type { Agent } from "../../agent/agent.ts";
import { agentOf } from "../../agent/agent-tool.ts";
import { delay } from "../../base/clock.ts";
import { PawlError, type PawlErrorCode } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { isBlank } from "../../base/text.ts";
import { loadState } from "../../fold/load.ts";
import type { Session } from "../../log/session-row.ts";
import { lackedSpeaker } from "../../loop/lacked-speaker.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import type { Delegated, Delegation, SettledTask, TaskWork } from "../../loop/leg/task-types.ts";
import { reportCall } from "../../parts/tool-mistakes.ts";
import { isWaitingRun } from "../../session/queued.ts";
import { type CallState, openRun, type SessionState } from "../../session/state.ts";
import { recover } from "../begin/begin.ts";
import { beginWithAnswers } from "../begin/begin-with-answers.ts";
import { beginWithMessage, type LoadsMeeting } from "../begin/begin-with-message.ts";
import { earlierRun } from "../begin/earlier-run.ts";
import type { IncomingMessage } from "../begin/incoming-message.ts";
import { longestStart, queueHere, queueMessage } from "../begin/queue-message.ts";
import { prepareSupersededEnd } from "../begin/supersede.ts";
import type { CallerOptions, Host, LegOutcome, Work } from "../leg/host.ts";
import { childAgent, conversationSoFar, openChild } from "./child-session.ts";
import { showTask } from "./show-work.ts";
import { newArtifacts } from "./task-artifacts.ts";
import { settledTask, taskOutcomeOf } from "./task-outcome.ts";

/** The code for a message that meets a run is in the same chunk as this file. */
const meeting: LoadsMeeting = async () => ({
  ...{ earlierRun, lackedSpeaker, longestStart },
  ...{ queueHere, queueMessage, prepareSupersededEnd },
});

/**
 * Has a sub-agent do a call's work in a session of its own: gives it the task, passes the user's answer on,
 * or continues after a crash. Returns the call's result or question; `undefined` if this process leaves the
 * run.
 */
export async function delegateCall(host: Host, leg: Leg, delegated: Delegated): Promise<Delegation> {
  const { call, delegate, slice } = delegated;
  const { signal } = leg.life;
  const state = await worked(host, leg, {
    ...{ call, agent: delegated.agent, message: messageFor(leg, delegated), slice, signal },
    knowledge: delegate.history ? [await conversationSoFar(leg)].filter((one) => one !== undefined) : [],
    shown: delegate.shows && { with: call, what: delegate.shows },
  });
  if (state === undefined) return undefined;
  const event = taskOutcomeOf(call, state, delegated.durationMs());
  return { event, artifacts: await newArtifacts(host, leg, state.sessionId) };
}

/** Returns the message for the sub-agent. The application must fix a `message` that throws. */
function messageFor(leg: Leg, { call, delegate, input }: Delegated): string {
  try {
    return delegate.message(input);
  } catch (cause) {
    reportCall(leg, call, cause);
    throw cause;
  }
}

/** Has an agent work on a task of a hook or a tool. Returns `undefined` if this process leaves the run. */
export async function workOnTask(host: Host, leg: Leg, work: TaskWork): Promise<SettledTask | undefined> {
  const state = await worked(host, leg, work);
  if (state === undefined) return undefined;
  return { ...settledTask(work.call, state), artifacts: await newArtifacts(host, leg, state.sessionId) };
}

/**
 * Has an agent work on a task in its own session until it has ended or waits. Returns the state of that
 * session; `undefined` if this process leaves the run.
 */
async function worked(host: Host, leg: Leg, work: TaskWork): Promise<SessionState | undefined> {
  const { call, message, slice, knowledge = [] } = work;
  const agent = childAgent(agentOf(work.agent), leg.run.agent.name, call.toolName, slice);
  const session = await openChild(host, leg, call.callId, agent.name);
  const task = { session, agent, message, knowledge, params: callerParams(leg), ...callerOf(leg) };
  // The sub-agent begins only if this process can renew the lease of the caller's run. A process that takes
  // over that run later finds the sub-agent's session in the store.
  const mayBegin = () => leg.life.renewLease();
  const endShowing = await showTask(host, leg, work, session.id);
  return await withStopSignal(leg, work.signal, async (signal) => {
    const begun = await giveWork(host, { ...task, signal, mayBegin }, call);
    return await untilSettled(host, leg, { session, agent, signal }, begun);
  }).finally(endShowing);
}

/**
 * Calls `work` with a signal that aborts when `signal` does, e.g. because the caller's run is stopped. The
 * signal does not abort when this process leaves the run to another one. If the run is stopped already, the
 * sub-agent asks no model.
 */
async function withStopSignal<T>(
  { life }: Leg,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const onAbort = () => {
    if (!life.lost) stop.abort();
  };
  return await whileListening(signal, onAbort, () => work(stop.signal));
}

/** Calls `work`, and calls `onAbort` if the signal aborts meanwhile, or has aborted. */
async function whileListening<T>(
  signal: AbortSignal,
  onAbort: () => void,
  work: () => Promise<T>,
): Promise<T> {
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * Returns the `params` of the calling run for the sub-agent; `undefined` without any. A hook may deny
 * calls by their `params`, and a sub-agent must not bypass that hook.
 */
function callerParams(leg: Leg): JsonObject | undefined {
  const { params = {} } = openRun(leg.log.state) ?? {};
  return Object.keys(params).length === 0 ? undefined : params;
}

/** Returns the caller and credentials of the calling run, which the sub-agent's run gets too. */
function callerOf({ access: { caller, credentials } }: Leg): CallerOptions {
  return { ...(Object.keys(caller).length > 0 && { caller }), credentials };
}

/**
 * Errors that {@link giveWork} ignores: the task or the answer is already stored, or the sub-agent's question
 * is still open. The sub-agent's log then decides how to continue.
 */
const KNOWN_BY_LOG: readonly PawlErrorCode[] = ["already_answered", "session_busy", "invalid_answer"];

/** The session and agent of a task, and the signal that stops its run. */
interface Task {
  session: Session;
  agent: Agent;
  signal: AbortSignal;
}

/**
 * Gives the task or the user's answer to the sub-agent. Returns the work of its run if this process started
 * any.
 */
async function giveWork(
  host: Host,
  task: Task & Pick<IncomingMessage, "message" | "knowledge" | "params" | "mayBegin"> & CallerOptions,
  call: CallState,
): Promise<Work | undefined> {
  const { session, agent, message, caller, credentials, signal } = task;
  const question = call.question?.child;
  const answer = call.answer;
  const request = { ...(caller && { caller }), credentials, signal };
  try {
    if (question !== undefined && answer?.expired) {
      // The sub-agent's own question expires at the same time, and so gets its default.
      return await recover(host, session, agent, request);
    }
    if (question !== undefined && answer !== undefined) {
      // With `question`, an answer that is passed on again after a crash cannot answer a later question.
      const content = answer.error === undefined ? { value: answer.value } : { error: answer.error };
      const answers = [{ callId: question.callId, question: question.question, ...content }];
      return (await beginWithAnswers(host, { session, agent, answers, ...request })).work;
    }
    if (isBlank(message)) throw new PawlError("invalid_input", "The message for the sub-agent is empty.");
    const incoming = { ...task, isTask: true as const, clientMessageId: "task", whenBusy: "reject" as const };
    return (await beginWithMessage(host, incoming, meeting)).work;
  } catch (error) {
    // A process that crashed may have passed the task or the answer on. Or the schema in the tool's code is
    // stricter than the one in the log, and the sub-agent's question stays open.
    if (KNOWN_BY_LOG.some((code) => PawlError.is(error, code))) return undefined;
    throw error;
  }
}

/**
 * Waits until the sub-agent's run has ended or waits, in any process, and returns its session's state.
 * Resumes the run if no process is working on it. Returns `undefined` if this process leaves the caller's
 * run.
 */
async function untilSettled(
  host: Host,
  leg: Leg,
  { session, agent, signal }: Task,
  begun: Work | undefined,
): Promise<SessionState | undefined> {
  let active = begun;
  for (;;) {
    if (active !== undefined) {
      const { state, settled } = await outcomeOfLeg(leg, active);
      if (settled) return state;
    }
    const state = await loadState(host.store, session.id);
    if (isTaskSettled(state)) return state;
    if (leg.life.lost || leg.life.draining) return undefined;
    active = await recover(host, session, agent, { ...callerOf(leg), signal });
    // Another leg has the lease, so this checks again soon.
    if (active === undefined) await delay(host.clock, Math.min(host.pollMs, 100));
  }
}

/** Returns whether the sub-agent's run has ended, or waits for the user's answer or for a time. */
function isTaskSettled({ run }: SessionState): boolean {
  return run !== undefined && (run.ended !== undefined || isWaitingRun(run));
}

/**
 * Waits for the end of the sub-agent's leg. Stops the sub-agent's run if the caller's run is stopped. If this
 * process leaves the caller's run to another process, it leaves the sub-agent's run, too.
 */
async function outcomeOfLeg(leg: Leg, active: Work): Promise<LegOutcome> {
  const { life } = leg;
  const onAbort = () => (life.lost ? active.leave(life.leaving ?? "hand_over") : active.abort());
  return await whileListening(life.signal, onAbort, () => active.done);
}
