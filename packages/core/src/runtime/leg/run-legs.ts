import { trackUntilSettled } from "../../base/counted.ts";
import { withinDeadline } from "../../base/deadline.ts";
import { causeOf, messageOf, PawlError, storeFailed } from "../../base/errors.ts";
import { snapshotOf } from "../../fold/snapshot.ts";
import type { Session } from "../../log/session-row.ts";
import { ABORTED, TAKEN_OVER } from "../../log/stop-reason.ts";
import { SNAPSHOT_VERSION } from "../../log/store/snapshot.ts";
import { stopByUser } from "../../loop/decide.ts";
import { isReplaced } from "../../loop/leg/effective-type.ts";
import { rethrowDecideAgain, storeHeld } from "../../loop/leg/stored-first.ts";
import { lacksCredentials, runLoop } from "../../loop/loop.ts";
import { reportUnstored } from "../../loop/tools/late-result.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import type { Host, LegOutcome, Work } from "./host.ts";
import { type KeptLease, withLease } from "./kept-lease.ts";
import type { OwnLeg } from "./make-leg.ts";
import { storeTools } from "./ready.ts";

/** The session whose legs run, and its lease. */
interface Running {
  host: Host;
  session: Session;
  state: SessionState;
  /**
   * `seq` of the snapshot from which the state was loaded; 0 without one, `undefined` if none was asked for.
   */
  snapshotSeq: number | undefined;
  kept: KeptLease;
  /** Makes the leg of the run that has started in the append which ended the run before it. */
  nextLeg(): OwnLeg;
  /** Called once no leg follows. */
  leave(): void;
}

/**
 * Runs a leg, and then the legs of the runs that follow its run. Aborting the signal stops the first run. The
 * leg starts its work once `earlier` has resolved; default: at once.
 */
export function runLegs(
  running: Running,
  leg: OwnLeg,
  { signal, earlier }: { signal?: AbortSignal | undefined; earlier?: Promise<void> } = {},
): Work {
  const { host, session, state, snapshotSeq, kept, nextLeg, leave } = running;
  let beginNext: (() => void) | undefined;
  const doWork = async (): Promise<LegOutcome> => {
    if (earlier !== undefined) await earlier;
    const settled = await withLease(kept, leg, () => runLeg(leg));
    if (leg.life.nextRun === undefined) return { state, settled };
    // The next leg is registered before this one ends, so that the session is never without a leg. It starts
    // its work once this one has ended. From here on, the state is that of the next run.
    const ended = Promise.withResolvers<void>();
    runLegs(running, nextLeg(), { earlier: ended.promise });
    beginNext = ended.resolve;
    return { state, settled: false };
  };
  const onEnd = (outcome?: LegOutcome) => {
    if (beginNext !== undefined) return beginNext();
    leave();
    if (outcome?.settled) keepSnapshot(host, state, snapshotSeq);
    else if (outcome !== undefined && leg.life.draining) notifyOfHandOver(host, session.id);
  };
  return startLeg(host, leg, doWork, { signal, onEnd });
}

/** Notifies the readers in this process that another process continues the run. */
function notifyOfHandOver({ handOvers }: Host, sessionId: string): void {
  for (const notify of [...handOvers]) notify(sessionId);
}

/** The number of new events after which a session gets its next snapshot. */
const GROWTH = 200;

/**
 * The most characters of a snapshot's text. `open` returns at most as many bytes of events. Converting a
 * longer text would block the process's other sessions.
 */
const MOST_SNAPSHOT_CHARS = 2_000_000;

/**
 * Saves a snapshot of a session whose run has ended, if the log has grown by `GROWTH` events since the last
 * one. `since` is the `seq` of that snapshot: 0 without one, `undefined` if the leg has not asked for one.
 * With `undefined`, saves nothing. Works in the background. A failure is reported and changes nothing.
 */
export function keepSnapshot(host: Host, state: SessionState, since: number | undefined): void {
  if (since === undefined || state.lastSeq - since < GROWTH) return;
  const { open, saveSnapshot } = host.store;
  if (open === undefined || saveSnapshot === undefined) return;
  const saved = save(host, state).catch((error: unknown) => host.report(error));
  // `drain()` waits for the promises in `reads`.
  host.keepAlive(trackUntilSettled(host.reads, saved));
}

async function save({ store }: Host, state: SessionState): Promise<void> {
  const text = snapshotText(state);
  if (text === undefined) return;
  const snapshot = { version: SNAPSHOT_VERSION, seq: state.lastSeq, state: text };
  await store.saveSnapshot?.(state.sessionId, snapshot);
}

/** Returns the text of a state's snapshot; `undefined` if a run is open, or if the text would be too long. */
function snapshotText(state: SessionState): string | undefined {
  const chars = state.entries.reduce((sum, entry) => sum + entry.chars, 0);
  if (chars > MOST_SNAPSHOT_CHARS) return undefined;
  const snapshot = snapshotOf(state);
  if (snapshot === undefined) return undefined;
  const text = JSON.stringify(snapshot);
  return text.length > MOST_SNAPSHOT_CHARS ? undefined : text;
}

/**
 * Starts a leg's timers, registers the leg in the process until it ends, and calls `doWork`. Aborting the
 * signal stops the run. `onEnd` is called once the leg is over, without an outcome if the leg has failed.
 */
export function startLeg(
  host: Host,
  leg: OwnLeg,
  doWork: () => Promise<LegOutcome>,
  { signal, onEnd }: { signal?: AbortSignal | undefined; onEnd(outcome?: LegOutcome): void },
): Work {
  const {
    life,
    log,
    run: { session },
  } = leg;
  const stopTimers = leg.begin();
  const abort = () => life.halt(ABORTED);
  // The run may have been stopped before the leg began. Only the signal also aborts waits, e.g. for `deps`.
  const run = openRun(log.state);
  const stop = signal?.aborted ? ABORTED : run && stopByUser(run);
  if (stop !== undefined) life.halt(stop);
  else signal?.addEventListener("abort", abort, { once: true });
  const { promise: done, resolve, reject } = Promise.withResolvers<LegOutcome>();
  done.catch(() => undefined);
  host.keepAlive(done);
  // A leg that cannot read its log ends by itself. The caller, whose event is stored, gets no error.
  const catchUp = () => log.catchUp().catch(() => undefined);
  const work: Work = { done, catchUp, abort, leave: life.leave };
  host.atWork.set(session.id, work);
  host.wakes.get(session.id)?.cancel();
  host.wakes.delete(session.id);
  const close = () => {
    stopTimers();
    life.end();
    signal?.removeEventListener("abort", abort);
    if (host.atWork.get(session.id) !== work) return;
    host.atWork.delete(session.id);
    host.tail.end(session.id);
  };
  const end = (outcome: LegOutcome) => {
    close();
    if (outcome.settled) host.wakeLater(leg);
    resolve(outcome);
    onEnd(outcome);
  };
  const fail = (error: unknown) => {
    close();
    reject(error);
    onEnd();
  };
  // `fail` also gets errors of `end`, which may call the application's engine.
  void doWork().then(end).catch(fail);
  return work;
}

/**
 * Runs a leg's loop. Resolves to whether the run has ended or is suspended; `false` if the lease is lost. Any
 * exception ends the run as an error, but the errors of the store and `tools_failed` are thrown.
 */
export async function runLeg(leg: OwnLeg): Promise<boolean> {
  try {
    return await loopOrEnd(leg);
  } catch (error) {
    if (!PawlError.is(error, "fenced")) throw error;
    leg.life.lose();
    return false;
  } finally {
    if (leg.life.lost) await reportUnstored(leg);
  }
}

/** Runs a leg's loop. An exception ends the run, unless another leg may continue it: then it is thrown. */
async function loopOrEnd(leg: OwnLeg): Promise<boolean> {
  try {
    const run = openRun(leg.log.state);
    if (run !== undefined && isReplaced(leg, run)) return await runLoop(leg, stopByUser(run) ?? TAKEN_OVER);
    const deps = withinDeadline(leg.life, leg.access.makeDeps());
    // Without credentials, the run only asks for them or ends, so an error of `deps` is ignored.
    await (lacksCredentials(leg) ? deps.catch(() => undefined) : deps);
    await leg.ready();
    if (leg.run.agent.toolsFor !== undefined) await storeTools(leg);
    return await runLoop(leg);
  } catch (error) {
    if (PawlError.is(error, "fenced")) throw error;
    if (storeFailed(error)) {
      // Another store may have failed, e.g. one that a schema reads. Held events can then still be stored,
      // and a client may wait for the answer among them.
      await storeHeld(leg).catch(() => undefined);
      throw error;
    }
    if (PawlError.is(error, "tools_failed")) {
      // The run stays open, and the next sweep resumes it.
      leg.report.failed(error);
      throw error;
    }
    if (leg.life.lost) return false;
    // A stopped run ends with its stop reason, even if the aborted work threw an error.
    return leg.life.signal.aborted ? await runLoop(leg) : await endAsError(leg, error);
  }
}

/** Reports and logs an error, and ends the run with it. */
async function endAsError(leg: OwnLeg, error: unknown): Promise<boolean> {
  await leg.log.barrier()?.catch(rethrowDecideAgain);
  leg.report.failed(error);
  await leg.report.logError({ code: "internal", message: messageOf(error), context: causeOf(error) });
  return await runLoop(leg, { type: "error", message: "Something went wrong. Please try again." });
}
