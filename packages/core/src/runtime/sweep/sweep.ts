import pLimit, { type LimitFunction } from "p-limit";
import type { Agent } from "../../agent/agent.ts";
import { backoff } from "../../base/backoff.ts";
import { turnOfLoop } from "../../base/next-turn.ts";
import { newPacer } from "../../base/pacer.ts";
import type { Session } from "../../log/session-row.ts";
import { isResumed, type NotDue } from "../begin/begin.ts";
import { type Host, type LegOptions, noSuchAgent, type Place, type Wake, type Work } from "../leg/host.ts";
import { takePlace, UNCOUNTED_PLACE } from "../leg/place.ts";
import { speakersOf } from "../leg/speaking-agent.ts";
import { isTaskSession } from "../leg/task-session.ts";
import { untilLeft } from "../leg/until-left.ts";
import { recoverIfDue } from "./recover-if-due.ts";
import { PAGE, recoverablePages } from "./recoverable-pages.ts";
import { reportIfHanging, untilResumedOrSlow, withinLeaseTime } from "./within-lease-time.ts";

/** The most sessions that a sweep opens at the same time, without those whose tools come from a function. */
const AT_A_TIME = 8;

/** The longest pause before a session that cannot be recovered is tried again, in milliseconds. */
const LONGEST_PAUSE_MS = 10 * 60_000;

/**
 * Recovers every run that no process is working on. Returns the number of runs that this call recovered, once
 * they have begun, or with `wait` once their legs are over. If this process has no place for a run, has the
 * engine wake it. A session that cannot be recovered is reported once and tried again after growing pauses.
 * It does not delay other sessions. If this runtime lacks the agent of a run, reports the agent once.
 */
export async function sweep(host: Host, { wait = false }: { wait?: boolean } = {}): Promise<number> {
  const legs = await resumeAbandoned(host);
  if (wait) await Promise.all(legs.map(({ id, leg }) => untilLeft(host, id, leg)));
  return legs.length;
}

/** Resumes the recoverable sessions, page by page. */
async function resumeAbandoned(host: Host): Promise<readonly ResumedSession[]> {
  const { store, setbacks } = host;
  const seen = new Set<string>();
  const legs: Opening[] = [];
  const state: SweepState = { hasEngineFailed: false, pace: newPacer(), limit: pLimit(AT_A_TIME) };
  if (host.draining) return [];
  for await (const sessions of recoverablePages(host, seen)) {
    legs.push(...(await resumeAll(host, sessions, state)));
    if (host.draining) return await resumedOf(legs);
    await turnOfLoop();
  }
  for (const id of setbacks.keys()) if (!seen.has(id)) setbacks.delete(id);
  for (const session of await store.listRecoverable({ limit: PAGE })) reportIfUnknown(host, session);
  return await resumedOf(legs);
}

/** Waits until the sessions are resumed or could not be, and returns those that were. */
async function resumedOf(openings: readonly Opening[]): Promise<readonly ResumedSession[]> {
  const settled = await Promise.all(openings.map(async ({ id, leg }) => ({ id, leg: await leg })));
  return settled.filter((result): result is ResumedSession => isResumed(result.leg));
}

/** A session that is being resumed. */
interface Opening {
  id: string;
  leg: Promise<Resumed>;
}

/**
 * Reports an abandoned run if this runtime lacks its agent, e.g. because the agent was renamed. Each agent is
 * reported once.
 */
function reportIfUnknown(host: Host, session: Session): void {
  const { agents, lacking, report } = host;
  const { agent } = session;
  if (agents.has(agent) || lacking.has(agent) || isTaskSession(session)) return;
  lacking.add(agent);
  report(noSuchAgent(host, agent, ABANDONED));
}

const ABANDONED =
  " A run of this agent is open, and no process is working on it. If no other runtime has the agent, add it under this name.";

/**
 * Resumes the sessions that are due. Resolves once each of them is resumed, could not be, or takes so long
 * that the sweep goes on without it.
 */
async function resumeAll(
  host: Host,
  sessions: readonly Session[],
  state: SweepState,
): Promise<readonly Opening[]> {
  const { atWork } = host;
  const openings: Opening[] = [];
  const over: Promise<unknown>[] = [];
  for (const session of sessions) {
    if (host.draining) break;
    reportIfHanging(host, session);
    if (atWork.has(session.id) || !isDue(host, session.id)) continue;
    const place = await placeOrWake(host, session, state);
    if (place === undefined) continue;
    // `opensOnce`, because the next sweep retries a session that cannot be opened.
    const resume = async () => {
      await state.pace();
      return await resumeSession(host, session, { place, opensOnce: true });
    };
    // A function that returns tools may take seconds, which must not delay other sessions.
    const mayTakeLong = speakersOf(host, session.agent).some(({ toolsFor }) => toolsFor !== undefined);
    const { promise: leg, resolve } = Promise.withResolvers<Resumed>();
    const open = async () => {
      const resuming = resume();
      resolve(resuming);
      await (mayTakeLong ? resuming : untilResumedOrSlow(host, session, resuming));
    };
    over.push(mayTakeLong ? open() : state.limit(open));
    openings.push({ id: session.id, leg });
  }
  await Promise.all(over);
  return openings;
}

/** The state of one sweep. */
interface SweepState {
  /**
   * Whether a call of the engine has failed. The sweep then calls it no more: each call may take long to
   * fail.
   */
  hasEngineFailed: boolean;
  /** Resolves when the next session may begin, so that the process answers requests meanwhile. */
  pace(): Promise<void>;
  /** Opens few sessions at the same time. */
  limit: LimitFunction;
}

/**
 * Takes a place for the session in this process. Without a free place, has the engine wake the session, and
 * returns `undefined`.
 */
async function placeOrWake(host: Host, session: Session, state: SweepState): Promise<Place | undefined> {
  const { engine, slots, report } = host;
  if (engine === undefined || isTaskSession(session)) return UNCOUNTED_PLACE;
  const place = engine.isExclusive ? undefined : takePlace(slots);
  if (place !== undefined) return place;
  if (state.hasEngineFailed) return takePlace(slots);
  try {
    await engine.wake(session.id, { userId: session.userId });
    return undefined;
  } catch (error) {
    report(error);
    state.hasEngineFailed = true;
    // No other process is woken, so this one takes a place, even if the engine is exclusive.
    return takePlace(slots);
  }
}

/** Returns whether a session may be tried: it has no setback, or the pause after its last setback is over. */
function isDue({ setbacks, clock }: Host, id: string): boolean {
  return (setbacks.get(id)?.dueAt ?? 0) <= clock.now();
}

/** A session that was resumed, and its leg. */
interface ResumedSession {
  id: string;
  leg: Work;
}

/** The leg that resumes a run; `undefined` if it could not be resumed. */
type Resumed = Work | NotDue | undefined;

/**
 * Resumes the session's run if no process is working on it, unless it waits for a time or resuming it has
 * just failed.
 */
export async function resumeIfDue(host: Host, session: Session, from: LegOptions = {}): Promise<Resumed> {
  if (host.draining || host.atWork.has(session.id) || !isDue(host, session.id)) return undefined;
  return await resumeSession(host, session, from);
}

/** Resumes the session's run, within the time of {@link withinLeaseTime}. If that fails, frees the place. */
async function resumeSession(host: Host, session: Session, from: LegOptions): Promise<Resumed> {
  const agent = host.agents.get(session.agent);
  if (agent === undefined || host.draining) {
    from.place?.leave();
    return undefined;
  }
  return await withinLeaseTime(
    host,
    session,
    { agents: speakersOf(host, session.agent), place: from.place },
    tryToResume(host, session, agent, from),
  );
}

/** Resumes the session's run. A failure becomes the session's setback; the first one in a row is reported. */
async function tryToResume(host: Host, session: Session, agent: Agent, from: LegOptions): Promise<Resumed> {
  const { setbacks, clock, leaseTtlMs } = host;
  try {
    const leg = await recoverIfDue(host, session, agent, { ...from, ...heldFor(host, session, from) });
    setbacks.delete(session.id);
    if (!isResumed(leg)) from.place?.leave();
    return leg;
  } catch (error) {
    from.place?.leave();
    const failures = (setbacks.get(session.id)?.failures ?? 0) + 1;
    const pauseMs = backoff(failures, { baseMs: 2 * leaseTtlMs, maxMs: LONGEST_PAUSE_MS });
    setbacks.set(session.id, { failures, dueAt: clock.now() + pauseMs });
    if (failures === 1) host.report(error);
    return undefined;
  }
}

/** Returns the caller and credentials that a timer of this process holds for the run, if `from` has none. */
function heldFor({ wakes }: Host, session: Session, from: LegOptions): LegOptions | undefined {
  const wake = wakes.get(session.id);
  const hasOwn = from.caller !== undefined || from.credentials !== undefined;
  return wake !== undefined && !hasOwn && isSameWait(wake, session) ? wake.from : undefined;
}

/** Returns whether the session still waits as it did when the timer was set. */
function isSameWait({ runId, at }: Wake, { openRun, wakeAt }: Session): boolean {
  return openRun === runId && wakeAt === at;
}
