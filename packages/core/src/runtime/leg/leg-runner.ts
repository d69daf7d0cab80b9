import type { Agent } from "../../agent/agent.ts";
import { withinDeadline } from "../../base/deadline.ts";
import { causeOf, messageOf, PawlError, storeFailed } from "../../base/errors.ts";
import { withContent } from "../../context/wrap-results.ts";
import type { Access } from "../../leg/leg.ts";
import { openLog, type SessionLog } from "../../leg/session-log.ts";
import type { NewEvent, StoredOf } from "../../log/event.ts";
import type { Lease } from "../../log/event-store.ts";
import type { Session } from "../../log/session-row.ts";
import { ABORTED, INTERRUPTED } from "../../log/stop-reason.ts";
import { firstRequest } from "../../loop/first-request.ts";
import { endRun, lacksCredentials, runLoop } from "../../loop/loop.ts";
import { reportUnstored } from "../../loop/tools/late-result.ts";
import type { PreparedRequest, StoredRequest } from "../../loop/turn/prepare-request.ts";
import { lostAnswer } from "../../session/open-attempt.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import { accessesOf, namesCaller, type OwnAccess } from "./access.ts";
import { keepLease, withLease } from "./held-lease.ts";
import { hiddenEvent } from "./hidden-event.ts";
import type { ActiveLeg, BegunBy, HeldCredentials, Host } from "./host.ts";
import { keepSnapshot } from "./keep-snapshot.ts";
import { makeLeg, type OwnLeg } from "./make-leg.ts";
import { changeOnResume, storeTools } from "./ready.ts";
import { type RunningLeg, startLeg } from "./start-leg.ts";

/** A leg that holds its lease and has read its log, but has not started. */
export interface OpenLeg {
  readonly log: SessionLog;
  /**
   * Prepares the leg for a new run of the caller who opened it, or for the open run. Resolves to the agent
   * with its tools for that caller. Rejects with `tools_failed`, or with `fenced` if the lease is lost.
   */
  readyTo(what: "start" | "resume"): Promise<Agent>;
  /**
   * Returns the event to store if the open run continues under another version of its agent, or with other
   * tools. For a leg that is ready to resume.
   */
  changes(): NewEvent[];
  /** Returns the access of the run that the leg is ready for. */
  access(): Access;
  /** The credentials that have come for the session. */
  readonly held: HeldCredentials;
  /**
   * Prepares the first request of the run that is about to start with these events. `undefined` if the
   * request has to wait until they are stored.
   */
  firstRequest(events: readonly NewEvent[]): Promise<PreparedRequest | undefined>;
  /**
   * Starts the loop. Aborting the signal stops the run. `first` is a request that is in the log and was not
   * sent yet.
   */
  go(signal?: AbortSignal, first?: StoredRequest): ActiveLeg;
  /** Releases the lease without starting the loop. */
  close(): Promise<void>;
}

/** The parts of a leg that holds its lease. */
export interface LegToHold {
  host: Host;
  session: Session;
  agent: Agent;
  lease: Lease;
  from: BegunBy;
  onlyEnds: boolean;
  held: HeldCredentials;
  state: SessionState;
  /** `seq` of the snapshot with which the state began; 0 without one, `undefined` if none was asked for. */
  snapshotSeq: number | undefined;
}

/**
 * Keeps the lease for the session's open run, and for the runs of queued messages that follow it. Each of
 * these starts in the append that ends the run before it.
 */
export function holdLeg(parts: LegToHold): OpenLeg {
  const { host, session, agent, lease, from, onlyEnds, held, state } = parts;
  const next = accessesOf(host, session, held);
  // Answers of the open run that came with a caller or credentials which the leg does not have yet.
  const answers: StoredOf<"tool_answered">[] = [];
  const prepare = (events: readonly NewEvent[]) => {
    const hidden = held.isEmpty() ? events : events.map((event) => hiddenEvent(event, held.hide));
    return withContent(current.agent, hidden, state);
  };
  const log = openLog({
    store: host.store,
    tail: host.tail,
    state,
    lease,
    newId: host.newId,
    prepare,
    onEvent: (event) => {
      if (event.type === "run_started") answers.length = 0;
      if (event.type === "tool_answered" && namesCaller(event)) answers.push(event);
      const own = event.type === "stop_requested" && event.data.run_id === openRun(state)?.runId;
      if (own && !current.starts) current.life.halt(event.data.interrupt === true ? INTERRUPTED : ABORTED);
    },
  });
  const handOverAt = host.clock.now() + host.handOverAfterMs;
  const newLeg = (more: { starts?: boolean; access?: OwnAccess } = {}) =>
    makeLeg({ host, session, agent, log, handOverAt, from, held, answers, accessOf: next.of, ...more });
  let current = newLeg();
  const kept = keepLease(host, lease, log, () => current.life.lose());
  const runAll = async (begun: RunningLeg, request?: StoredRequest): Promise<void> => {
    for (let running = begun, first = request; ; first = undefined) {
      const { leg } = running;
      try {
        const settled = await withLease(kept, leg, () => work(leg, first));
        if (leg.life.nextRun === undefined) {
          running.end({ state, settled });
          afterLast(leg, parts, settled);
          return;
        }
      } catch (error) {
        return running.fail(error);
      }
      // The next leg is registered before this one ends, so that the session is never without a leg. From
      // here on, the state is that of the next run.
      current = newLeg({ access: next.last() });
      const following = startLeg(host, current);
      running.end({ state, settled: false });
      running = following;
    }
  };
  const go: OpenLeg["go"] = (signal, first) => {
    const begun = startLeg(host, current, signal);
    void runAll(begun, first).finally(held.close);
    return begun.active;
  };
  const ahead: OpenLeg["firstRequest"] = (events) => firstRequest(current, events);
  const readyTo: OpenLeg["readyTo"] = async (what) => {
    // A leg has the dependencies and tools of one caller, so another run needs another leg.
    if (current.starts !== (what === "start")) current = newLeg({ starts: what === "start" });
    await current.ready();
    return current.agent;
  };
  const changes = () => (onlyEnds ? [] : changeOnResume(current));
  const close = async () => {
    held.close();
    await kept.giveBack();
  };
  return { log, held, readyTo, changes, access: () => current, firstRequest: ahead, go, close };
}

/** Does what follows the last leg. The run of `parts.state` has ended, or another process continues it. */
function afterLast(
  { life }: OwnLeg,
  { host, session, state, snapshotSeq }: LegToHold,
  settled: boolean,
): void {
  if (settled) keepSnapshot(host, state, snapshotSeq);
  else if (life.draining) for (const notify of [...host.handOvers]) notify(session.id);
}

/** Runs the loop. An exception ends the run as an error, unless the store failed or the lease was lost. */
async function work(leg: OwnLeg, first?: StoredRequest): Promise<boolean> {
  try {
    const deps = withinDeadline(leg.life, leg.makeDeps());
    // Without credentials, the run only asks for them or ends, so an error of `deps` does not count.
    await (lacksCredentials(leg) ? deps.catch(() => undefined) : deps);
    await leg.ready();
    if (leg.agent.toolsFor !== undefined) await storeTools(leg);
    return await runLoop(leg, first);
  } catch (error) {
    if (storeFailed(error)) throw error;
    if (PawlError.is(error, "tools_failed")) {
      // The next sweep tries again.
      leg.report.failed(error);
      throw error;
    }
    if (PawlError.is(error, "fenced")) leg.life.lose();
    if (leg.life.lost) return false;
    // A stopped run ends with its stop reason, even if the aborted work threw an error.
    return leg.life.signal.aborted ? await runLoop(leg) : await endAsError(leg, error);
  } finally {
    if (leg.life.lost) await reportUnstored(leg);
  }
}

async function endAsError(leg: OwnLeg, error: unknown): Promise<boolean> {
  leg.report.failed(error);
  await leg.report.logError({ code: "internal", message: messageOf(error), context: causeOf(error) });
  const stop = { type: "error", message: "Something went wrong. Please try again." };
  const lost = openRun(leg.log.state)?.attempt;
  if (lost !== undefined) await leg.log.append([lostAnswer(lost)]);
  while (!leg.life.lost && openRun(leg.log.state) !== undefined) {
    if (await endRun(leg, stop)) return true;
  }
  return false;
}
