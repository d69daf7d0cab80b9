import type { Agent } from "../../agent/agent.ts";
import { lazy } from "../../base/once.ts";
import { withContent } from "../../context/wrap-results.ts";
import type { NewEvent } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import { ABORTED, INTERRUPTED } from "../../log/stop-reason.ts";
import type { AcquiredLease } from "../../log/store/event-store.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import type { Access } from "../../loop/leg/leg-access.ts";
import type { SessionLog } from "../../loop/leg/session-log.ts";
import { DECIDE_AGAIN } from "../../loop/leg/stored-first.ts";
import { openLog } from "../../runtime/log/open-log.ts";
import { firstExpiry, waitingFor } from "../../session/queued.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import type { Callers } from "./callers.ts";
import type { Host, LegOptions, Work } from "./host.ts";
import { keepLease } from "./kept-lease.ts";
import { makeLeg, type OwnLeg } from "./make-leg.ts";
import { giveAway, placeFor, wakeInTransaction } from "./place.ts";
import { changeOnResume } from "./ready.ts";
import { runLegs } from "./run-legs.ts";
import { hiddenEvent } from "./session-credentials.ts";
import { accessOfNext, speaking } from "./speaking.ts";

/** A session whose lease this process holds and whose state is loaded. Its first leg has not started. */
export interface LeasedSession {
  readonly log: SessionLog;
  /**
   * Prepares the leg, and resolves to the agent with its tools for the run's caller. Rejects with
   * `tools_failed`, or with `fenced` if the lease is lost.
   *
   * - `start`: for a new run of the caller whose request opened the session.
   * - `resume`: for the open run.
   * - `answered`: for the open run, after the request's answers were stored.
   */
  readyTo(purpose: "start" | "resume" | "answered"): Promise<Agent>;
  /**
   * Resolves to whether the loop can start before its message, retry or answer is stored. One append then
   * stores that event together with the loop's first events. Call it for an open run, or after
   * `readyTo("start")`. It requires that:
   *
   * - the dependencies are available without waiting;
   * - the agent's `tools` are not a function;
   * - `changes()` is empty.
   */
  startsAtOnce(): Promise<boolean>;
  /**
   * Returns the event to store if the open run continues under another version of its agent, or with other
   * tools; otherwise an empty list. Call it after `readyTo("resume")`.
   */
  changes(): NewEvent[];
  /** Returns the access of the run that the leg is ready for. */
  access(): Access;
  readonly lease: AcquiredLease;
  /**
   * How long the session's run still waits for a time, in milliseconds by the store's clock. 0 if it does not
   * wait. Until then, no process has to work on it.
   */
  readonly waitMs: number;
  readonly callers: Callers;
  /** Whether `go` gives the run to the engine, because this process has no place for it. */
  readonly isGivenAway: boolean;
  /**
   * Gives the run to the engine in the transaction of an append, see `WriteOptions`. `undefined` if the run
   * stays in this process, or if the engine takes no transactions.
   */
  readonly giveAway: ((transaction: unknown) => Promise<void>) | undefined;
  /** Starts the loop, or gives the run to the engine (`isGivenAway`). */
  go(options?: GoOptions): Work;
  /** Releases the lease without starting the loop. */
  close(): Promise<void>;
}

/** How a leg's loop starts. */
export interface GoOptions {
  /** Aborting it stops the run. */
  signal?: AbortSignal | undefined;
  /** See {@link Leg.mayBegin}. */
  mayBegin?: (() => Promise<boolean>) | undefined;
}

/** The parts of a leased session. */
export interface LeasedParts {
  host: Host;
  session: Session;
  agent: Agent;
  lease: AcquiredLease;
  from: LegOptions;
  onlyEnds: boolean;
  callers: Callers;
  state: SessionState;
  /**
   * `seq` of the snapshot from which the state was loaded; 0 without one, `undefined` if none was asked for.
   */
  snapshotSeq: number | undefined;
  /** The session's row. A row with `wakeAt` was read with the lease, or after it. */
  row: Pick<Session, "wakeAt" | "lastSeq">;
}

/**
 * Makes a leased session. The lease is kept for the open run and for the runs of queued messages after it.
 * Each of those runs starts in the append that ends the run before it.
 */
export function newLeasedSession(parts: LeasedParts): LeasedSession {
  const { host, session, lease, from, onlyEnds, callers } = parts;
  const log = logOf(parts, () => current);
  const place = placeFor(host, session, from);
  const handOverAt = host.clock.now() + host.handOverAfterMs;
  const legParts = { ...parts, log, handOverAt, clientTools: from.clientTools };
  const newLeg = (starts: boolean, access = callers.ofRun(starts ? undefined : openRun(log.state))) =>
    makeLeg({ ...legParts, clockSetBack, starts, access, agent: speaking(parts, starts) });
  const clockSetBack = clockIfSetBack(parts);
  let current = newLeg(false);
  const kept = keepLease(host, lease, log, () => current.life.lose());
  const nextLeg = () => {
    current = newLeg(false, accessOfNext(parts, current.access));
    return current;
  };
  const readyTo: LeasedSession["readyTo"] = async (purpose) => {
    // A leg has the dependencies and tools of one caller, so another run or caller needs another leg.
    const starts = purpose === "start";
    const hasNewCaller = purpose === "answered" && callers.hasNew;
    const needsNewLeg = current.starts !== starts || hasNewCaller;
    if (purpose === "answered") callers.forget();
    if (needsNewLeg) current = newLeg(starts);
    await current.ready();
    return current.run.agent;
  };
  const changes = () => (onlyEnds ? [] : changeOnResume(current));
  const freePlace = () => {
    place?.leave();
    callers.close();
  };
  const close = async () => {
    freePlace();
    await (log.isGivenAway ? kept.stopRenewing() : kept.giveBack());
  };
  return {
    log,
    callers,
    lease,
    waitMs: waitOf(parts, clockSetBack?.()),
    isGivenAway: place === undefined,
    giveAway: place === undefined ? wakeInTransaction(host, session) : undefined,
    readyTo,
    startsAtOnce: async () => {
      if (place === undefined || !isReadyAtOnce(current)) return false;
      if (!current.starts) await readyTo("resume");
      return current.starts || changes().length === 0;
    },
    changes,
    access: () => current.access,
    go: ({ signal, mayBegin } = {}) => {
      if (place === undefined) return giveAway(host, session, log, close());
      current.run.mayBegin = mayBegin && lazy(mayBegin);
      return runLegs({ ...parts, kept, nextLeg, leave: freePlace }, current, { signal });
    },
    close,
  };
}

/**
 * Calls the runtime's `deps` for the leg's caller. Returns whether the dependencies and the agent's tools are
 * available without waiting. A message or an answer must not wait for the application before it is stored.
 */
function isReadyAtOnce(leg: OwnLeg): boolean {
  if (leg.run.agent.toolsFor !== undefined) return false;
  // An error is reported later: the leg awaits the same promise before its loop starts.
  leg.access.makeDeps().catch(() => undefined);
  return leg.access.hasDeps;
}

/**
 * Returns how long the session's run still waits for a time, in milliseconds; 0 if it does not wait. Also
 * returns 0 if it waits longer than its questions last, because the store's clock was set back to `clock`.
 * A leg then stores when they expire.
 */
function waitOf({ row: { wakeAt, lastSeq }, state, lease }: LeasedParts, clock: string | undefined): number {
  // An event that was stored after the row was read, e.g. an answer, has ended the wait.
  if (wakeAt === null || lastSeq !== state.lastSeq) return 0;
  const run = clock && openRun(state);
  const latest = run && firstExpiry(waitingFor(run), clock);
  if (latest && latest < wakeAt) return 0;
  return Math.max(0, Date.parse(wakeAt) - Date.parse(lease.acquiredAt));
}

/**
 * By how much the last event must be later than the lease before the store's clock counts as set back, in
 * milliseconds. Other processes may store events between both.
 */
const SET_BACK_MS = 1_000;

/** Returns the store's clock if it was set back: see `LegRun.clockSetBack`. */
function clockIfSetBack({ host: { clock }, state, lease }: LeasedParts): (() => string) | undefined {
  const acquiredMs = Date.parse(lease.acquiredAt);
  if (!(Date.parse(state.lastAt) - acquiredMs > SET_BACK_MS)) return undefined;
  const openedAt = clock.now();
  return () => new Date(acquiredMs + Math.max(0, clock.now() - openedAt)).toISOString();
}

/**
 * Opens the session's log. Each stored event is checked for a new caller and for a request to stop the run.
 */
function logOf({ host, lease, callers, state }: LeasedParts, current: () => OwnLeg): SessionLog {
  return openLog({
    store: host.store,
    tail: host.tail,
    state,
    lease,
    newId: host.newId,
    admit: () => (current().run.mayBegin === undefined ? undefined : () => admitLeg(current())),
    prepare: (events) => preparedEvents(events, { agent: current().run.agent, callers, state }),
    onEvent: (event) => {
      callers.note(event);
      if (event.type !== "stop_requested" || event.data.run_id !== openRun(state)?.runId) return;
      const { starts, life } = current();
      // A leg that is about to start a new run must not be halted for the run before.
      if (!starts) life.halt(event.data.interrupt === true ? INTERRUPTED : ABORTED);
    },
  });
}

/**
 * Asks `mayBegin`, once. If the run may not begin, halts it and rejects with `DECIDE_AGAIN`, so that no code
 * of the application is called for it.
 */
async function admitLeg(leg: OwnLeg): Promise<void> {
  const mayBegin = await leg.run.mayBegin?.();
  leg.run.mayBegin = undefined;
  if (mayBegin !== false) return;
  leg.life.halt(ABORTED);
  throw DECIDE_AGAIN;
}

/** Returns events in their stored form: credentials are replaced, and results have `content`. */
function preparedEvents(
  events: readonly NewEvent[],
  { agent, callers, state }: Pick<LeasedParts, "agent" | "callers" | "state">,
): readonly NewEvent[] {
  const hidden = callers.isEmpty() ? events : events.map((event) => hiddenEvent(event, callers.hide));
  return withContent(agent, hidden, state);
}
