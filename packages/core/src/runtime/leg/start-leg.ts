import { ABORTED } from "../../log/stop-reason.ts";
import { stopAsked } from "../../loop/decide.ts";
import { openRun } from "../../session/state.ts";
import type { ActiveLeg, Host, LegOutcome } from "./host.ts";
import type { OwnLeg } from "./make-leg.ts";

/** A running leg, and the functions that end it. */
export interface RunningLeg {
  readonly leg: OwnLeg;
  readonly active: ActiveLeg;
  end(outcome: LegOutcome): void;
  fail(error: unknown): void;
}

/**
 * Starts a leg's timers and registers the leg in the process until it ends. Aborting the signal stops the
 * run.
 */
export function startLeg(host: Host, leg: OwnLeg, signal?: AbortSignal): RunningLeg {
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
  const active: ActiveLeg = { done, catchUp, abort, leave: life.leave };
  host.legs.set(session.id, active);
  host.wakes.get(session.id)?.cancel();
  host.wakes.delete(session.id);
  const close = () => {
    stopTime();
    life.end();
    signal?.removeEventListener("abort", abort);
    if (host.legs.get(session.id) !== active) return;
    host.legs.delete(session.id);
    host.tail.end(session.id);
  };
  return {
    leg,
    active,
    end: (outcome) => {
      close();
      if (outcome.settled) host.wakeLater(leg);
      resolve(outcome);
    },
    fail: (error) => {
      close();
      reject(error);
    },
  };
}
