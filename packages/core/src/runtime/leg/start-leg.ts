import { ABORTED } from "../../log/stop-reason.ts";
import { stopAsked } from "../../loop/decide.ts";
import { openRun } from "../../session/state.ts";
import type { Host, LegOutcome, Work } from "./host.ts";
import type { OwnLeg } from "./make-leg.ts";

/**
 * Starts a leg's timers, registers the leg in the process until it ends, and does its work. Aborting the
 * signal stops the run. `onEnd` is called once the leg is over, without an outcome if it has failed.
 */
export function startLeg(
  host: Host,
  leg: OwnLeg,
  doWork: () => Promise<LegOutcome>,
  { signal, onEnd }: { signal?: AbortSignal | undefined; onEnd(outcome?: LegOutcome): void },
): Work {
  const { session, life, log } = leg;
  const stopTime = leg.begin();
  const abort = () => life.halt(ABORTED);
  // The run may have been stopped before. Nothing else tells what the leg waits for, e.g. its deps.
  const run = openRun(log.state);
  const stop = signal?.aborted ? ABORTED : run && stopAsked(run);
  if (stop !== undefined) life.halt(stop);
  else signal?.addEventListener("abort", abort, { once: true });
  const { promise: done, resolve, reject } = Promise.withResolvers<LegOutcome>();
  done.catch(() => undefined);
  host.keepAlive(done);
  // A leg that cannot read its log ends by itself. The caller that stored something for it has not failed.
  const catchUp = () => log.catchUp().catch(() => undefined);
  const work: Work = { done, catchUp, abort, leave: life.leave };
  host.atWork.set(session.id, work);
  host.wakes.get(session.id)?.cancel();
  host.wakes.delete(session.id);
  const close = () => {
    stopTime();
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
  // The application's engine may throw in `end`, too.
  void doWork().then(end).catch(fail);
  return work;
}
