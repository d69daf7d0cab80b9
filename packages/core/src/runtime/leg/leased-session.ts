import type { Agent } from "../../agent/agent.ts";
import { once } from "../../base/once.ts";
import { withContent } from "../../context/wrap-results.ts";
import type { NewEvent } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import { ABORTED, INTERRUPTED } from "../../log/stop-reason.ts";
import type { AcquiredLease } from "../../log/store/event-store.ts";
import type { Access, Leg } from "../../loop/leg/leg.ts";
import type { SessionLog } from "../../loop/leg/session-log.ts";
import { DECIDE_AGAIN } from "../../loop/leg/stored-first.ts";
import { openLog } from "../../runtime/log/open-log.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import type { Callers } from "./callers.ts";
import type { BegunBy, Host, Work } from "./host.ts";
import { keepLease } from "./kept-lease.ts";
import { makeLeg, type OwnLeg } from "./make-leg.ts";
import { giveAway, placeFor, wakeInTransaction } from "./place.ts";
import { changeOnResume } from "./ready.ts";
import { runLegs } from "./run-legs.ts";
import { hiddenEvent } from "./session-credentials.ts";

/** A session whose lease this process has, and whose log it has read. Its leg has not started. */
export interface LeasedSession {
  readonly log: SessionLog;
  /**
   * Prepares the leg for a new run of the caller who opened it, for the open run, or for the open run after
   * that caller's answer was stored. Resolves to the agent with its tools for the run's caller. Rejects with
   * `tools_failed`, or with `fenced` if the lease is lost.
   */
  readyTo(what: "start" | "resume" | "answered"): Promise<Agent>;
  /**
   * Resolves to whether the loop can start before the message, retry or answer that begins it is stored: one
   * append then stores that with what follows from it. `deps` must be available without waiting, `tools` must
   * not be a function, and there must be nothing to store first. Called once it is ready to start, or for an
   * open run.
   */
  startsAtOnce(): Promise<boolean>;
  /**
   * Returns the event to store if the open run continues under another version of its agent, or with other
   * tools. For a leg that is ready to resume.
   */
  changes(): NewEvent[];
  /** Returns the access of the run that the leg is ready for. */
  access(): Access;
  readonly lease: AcquiredLease;
  /**
   * How long the session's run waits for its time, in milliseconds, by the store's clock; 0 if it does not.
   * While it waits, there is nothing to do for it.
   */
  readonly waitMs: number;
  readonly callers: Callers;
  /** Whether `go` gives the run to the engine, because this process has no place for it. */
  readonly isGivenAway: boolean;
  /** Gives the run to the engine in the transaction of an append, see `WriteOptions`. */
  readonly giveAway: ((transaction: unknown) => Promise<void>) | undefined;
  /** Starts the loop. */
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
  from: BegunBy;
  onlyEnds: boolean;
  callers: Callers;
  state: SessionState;
  /** `seq` of the snapshot with which the state began; 0 without one, `undefined` if none was asked for. */
  snapshotSeq: number | undefined;
  /** The session's row, read with or after the lease. */
  row: Pick<Session, "wakeAt" | "lastSeq">;
}

/**
 * Keeps the lease for the session's open run, and for the runs of queued messages that follow it. Each of
 * these starts in the append that ends the run before it.
 */
export function newLeasedSession(parts: LeasedParts): LeasedSession {
  const { host, session, agent, lease, from, onlyEnds, callers } = parts;
  const log = logOf(parts, () => current);
  const place = placeFor(host, session, from);
  const { clientTools } = from;
  const handOverAt = host.clock.now() + host.handOverAfterMs;
  const newLeg = (starts: boolean, access = callers.ofRun(starts ? undefined : openRun(log.state))) =>
    makeLeg({ ...parts, log, handOverAt, clientTools, starts, access });
  let current = newLeg(false);
  const kept = keepLease(host, lease, log, () => current.life.lose());
  const nextLeg = () => {
    current = newLeg(false, callers.ofNextRun());
    return current;
  };
  const readyTo: LeasedSession["readyTo"] = async (what) => {
    // A leg has the dependencies and tools of one caller, so another run needs another leg.
    const isOther = current.starts !== (what === "start") || (what === "answered" && callers.hasNew);
    if (what === "answered") callers.forget();
    if (isOther) current = newLeg(what === "start");
    await current.ready();
    return current.run.agent;
  };
  const changes = () => (onlyEnds ? [] : changeOnResume(current));
  const leave = () => {
    place?.leave();
    callers.close();
  };
  const close = async () => {
    leave();
    await (log.isGivenAway ? kept.stopRenewing() : kept.giveBack());
  };
  return {
    log,
    callers,
    lease,
    waitMs: waitOf(parts),
    isGivenAway: place === undefined,
    giveAway: place === undefined ? wakeInTransaction(host, session) : undefined,
    readyTo,
    startsAtOnce: async () => {
      if (place === undefined || !isReadyAtOnce(current, agent)) return false;
      if (!current.starts) await readyTo("resume");
      return current.starts || changes().length === 0;
    },
    changes,
    access: () => current.access,
    go: ({ signal, mayBegin } = {}) => {
      if (place === undefined) return giveAway(host, session, log, close());
      current.run.mayBegin = mayBegin && once(mayBegin);
      return runLegs({ ...parts, kept, nextLeg, leave }, current, { signal });
    },
    close,
  };
}

/**
 * Calls the runtime's `deps` for the leg's caller. Returns whether the dependencies and the agent's tools are
 * available without waiting. A message or an answer must not wait for the application before it is stored.
 */
function isReadyAtOnce(leg: OwnLeg, { toolsFor }: Agent): boolean {
  if (toolsFor !== undefined) return false;
  // The run's leg meets the same failure, and reports it.
  leg.access.makeDeps().catch(() => undefined);
  return leg.access.hasDeps;
}

/** Returns how long the session's run still waits, in milliseconds. */
function waitOf({ row: { wakeAt, lastSeq }, state, lease }: LeasedParts): number {
  // What was stored since the row was read, e.g. an answer, has ended the wait.
  if (wakeAt === null || lastSeq !== state.lastSeq) return 0;
  return Math.max(0, Date.parse(wakeAt) - Date.parse(lease.acquiredAt));
}

/** Opens the session's log, and notes what other processes store. */
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
      const own = event.type === "stop_requested" && event.data.run_id === openRun(state)?.runId;
      const { starts, life } = current();
      if (own && !starts) life.halt(event.data.interrupt === true ? INTERRUPTED : ABORTED);
    },
  });
}

/** Ends the run as stopped if it may not begin, before the application is called for it. */
async function admitLeg(leg: OwnLeg): Promise<void> {
  const mayBegin = await leg.run.mayBegin?.();
  leg.run.mayBegin = undefined;
  if (mayBegin !== false) return;
  leg.life.halt(ABORTED);
  throw DECIDE_AGAIN;
}

/** Returns events as they are stored: without credentials, results with the content that the model reads. */
function preparedEvents(
  events: readonly NewEvent[],
  { agent, callers, state }: Pick<LeasedParts, "agent" | "callers" | "state">,
): readonly NewEvent[] {
  const hidden = callers.isEmpty() ? events : events.map((event) => hiddenEvent(event, callers.hide));
  return withContent(agent, hidden, state);
}
