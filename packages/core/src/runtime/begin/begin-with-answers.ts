import type { Agent } from "../../agent/agent.ts";
import { withinDeadline } from "../../base/deadline.ts";
import { PawlError } from "../../base/errors.ts";
import { isEqualJson } from "../../base/json.ts";
import { loadState } from "../../fold/load.ts";
import type { NewEvent, StoredEvent } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import { patchOf } from "../../log/store/row-patch.ts";
import { openRun, type RunState, type SessionState } from "../../session/state.ts";
import { storedCaller } from "../leg/access.ts";
import { type CallerOptions, type Host, noSuchAgent, type Work } from "../leg/host.ts";
import { leaseSession } from "../leg/lease-session.ts";
import type { LeasedSession } from "../leg/leased-session.ts";
import { storeWithCredentials } from "../leg/session-credentials.ts";
import { speaking } from "../leg/speaking.ts";
import { lackedAgent } from "../leg/speaking-agent.ts";
import { answerEvents } from "./answer.ts";
import { asFailedWork, type Begun, recoverStored, releaseOrResume, resumeRun } from "./begin.ts";
import type { Answer } from "./run-options.ts";
import { stopOnAbort } from "./stop-on-abort.ts";

/** Answers, and the session to which they belong. */
interface Answering extends CallerOptions {
  session: Session;
  agent: Agent;
  answers: readonly Answer[];
  signal?: AbortSignal | undefined;
}

/**
 * Stores answers and continues the run that they answer. If another leg has the session's lease, stores the
 * answers without a lease, and that leg picks them up. `opened` is the session that the caller has opened.
 * Its `leased` is `undefined` if the lease was taken.
 *
 * @throws PawlError `unknown_call`, `already_answered`, `invalid_answer` or `invalid_input`. Then no answer
 * is stored.
 */
export async function beginWithAnswers(
  host: Host,
  answering: Answering,
  opened?: { leased: LeasedSession | undefined },
): Promise<Begun> {
  const { session, agent: own, caller, credentials } = answering;
  let leased =
    opened === undefined ? await leaseSession(host, session, own, { caller, credentials }) : opened.leased;
  // After a release, the answers are stored without a lease.
  const release = async () => {
    const released = leased;
    leased = undefined;
    if (released !== undefined) await releaseOrResume(host, session, own, released, answering);
  };
  const state = leased?.log.state ?? (await loadState(host.store, session.id));
  const agent = speaking({ host, session, agent: own, state }, false);
  let events: NewEvent[];
  try {
    if (leased !== undefined) refuseIfLacking(host, session, state);
    events = await checkedEvents(host, state, { ...answering, agent }, release);
  } catch (error) {
    await release();
    throw error;
  }
  try {
    const begun = leased === undefined ? "taken" : await answerHere(host, answering, leased, events);
    return begun === "taken" ? await answerElsewhere(host, answering, state, events) : begun;
  } catch (cause) {
    if (!PawlError.is(cause, "key_taken")) throw cause;
    throw new PawlError("already_answered", "This question has been answered already.", { cause });
  }
}

/**
 * Refuses answers to an agent that this runtime lacks, so that a process with the agent can still take them.
 * A message of the user closes the question.
 *
 * @throws PawlError `not_found`
 */
function refuseIfLacking(host: Host, session: Session, state: SessionState): void {
  const lacking = lackedAgent(host, session, state);
  if (lacking !== undefined)
    throw noSuchAgent(
      host,
      lacking,
      ` It asks this question. After a new message, the agent "${session.agent}" continues.`,
    );
}

/**
 * Stores the answers under the session's lease, and continues the run. Returns `taken` if another process
 * took over the session first. Then nothing was stored.
 */
async function answerHere(
  host: Host,
  answering: Answering,
  leased: LeasedSession,
  events: readonly NewEvent[],
): Promise<Begun | "taken"> {
  const { session, agent, credentials, signal } = answering;
  const run = openRun(leased.log.state) as RunState;
  let active: Work | undefined;
  try {
    const loopStores = await canStartBeforeStored(leased, answering);
    const store = async () => {
      if (!loopStores) return await storeAnswers(leased, events);
      const outcome = Promise.withResolvers<readonly StoredEvent[]>();
      outcome.promise.catch(() => undefined);
      // The loop's first append stores the answers, together with the events that follow from them.
      await leased.log.holdFacts(events, { outcome });
      active = leased.go({ signal });
      return await outcome.promise;
    };
    const [first] = await storeWithCredentials(host, session.id, credentials, store, seqOfFirst);
    active ??= await resumeRun(leased, run, signal, "answered").catch(asFailedWork);
    const start = { sessionId: session.id, runId: run.runId, afterSeq: (first?.seq ?? 1) - 1 };
    return { start, work: active };
  } catch (error) {
    // A leg that was started continues the run, even if these answers were refused.
    if (active === undefined) await releaseOrResume(host, session, agent, leased, answering);
    if (PawlError.is(error, "fenced")) return "taken";
    throw error;
  }
}

/**
 * Stores answers, and returns at least the first of their events. If this process has no place for the run,
 * the same transaction gives the run to the engine.
 */
async function storeAnswers(
  { log, giveAway }: LeasedSession,
  events: readonly NewEvent[],
): Promise<readonly Pick<StoredEvent, "seq">[]> {
  if (giveAway === undefined) return await log.add(events);
  // Fails while other events are stored first. Event keys refuse answers that were stored already.
  while (!(await log.appendAtTip(events, { giveAway })));
  return [{ seq: log.state.lastSeq - events.length + 1 }];
}

/**
 * Returns whether the loop can start before the answers are stored. One append then stores the answers
 * together with the events that follow from them. Returns `false` if the application's code prepares the leg,
 * the answers come from another caller, or other events must be stored first.
 */
async function canStartBeforeStored(
  leased: LeasedSession,
  { caller, credentials }: CallerOptions,
): Promise<boolean> {
  const run = openRun(leased.log.state);
  if (run === undefined || run.unsettled) return false;
  if (caller !== undefined && !isEqualJson(storedCaller({ caller, credentials }), run.caller)) return false;
  return await leased.startsAtOnce();
}

/**
 * Stores answers without the session's lease. The leg that has the lease picks them up. If no leg has it any
 * more, a new leg starts in this process.
 */
async function answerElsewhere(
  host: Host,
  { session, agent, signal, caller, credentials }: Answering,
  state: SessionState,
  events: readonly NewEvent[],
): Promise<Begun> {
  const options = { appendId: host.newId(), session: patchOf(events) };
  const store = () => host.store.append(session.id, events, options);
  const [first] = await storeWithCredentials(host, session.id, credentials, store, seqOfFirst);
  const seq = first?.seq ?? state.lastSeq;
  host.tail.stored(session.id, seq + events.length - 1);
  const start = { sessionId: session.id, runId: state.run?.runId ?? "", afterSeq: seq - 1 };
  const active = host.atWork.get(session.id);
  if (active !== undefined) await active.catchUp();
  const work = await recoverStored(host, session, agent, { signal, caller, credentials });
  if (work !== undefined) return { start, work };
  return { start, work, release: stopOnAbort(host, start, signal) };
}

const seqOfFirst = ([first]: readonly Pick<StoredEvent, "seq">[]) => first?.seq;

/**
 * Checks the answers, and returns the events that store them. The check may take as long as a run, because
 * schemas are the application's code and may hang. After a timeout the question stays open. Calls `release`
 * before it waits for an asynchronous schema, so that other requests need not wait for the lease.
 */
async function checkedEvents(
  { clock }: Host,
  state: SessionState,
  { agent, answers, caller, credentials }: Answering,
  release: () => Promise<void>,
): Promise<NewEvent[]> {
  const onTimeout = () =>
    new PawlError("invalid_answer", "The answer could not be checked in time. Please try again.");
  const within = async <T>(work: PromiseLike<T>): Promise<T> => {
    await release();
    return await work;
  };
  const checked = answerEvents(state, agent, answers, { caller, credentials, within });
  return await withinDeadline({ clock, timeoutMs: agent.limits.wallClockMs, onTimeout }, checked);
}
