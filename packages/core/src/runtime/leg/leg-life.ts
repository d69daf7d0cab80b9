import type { Agent } from "../../agent/agent.ts";
import { PawlError } from "../../base/errors.ts";
import { landingTime } from "../../loop/decide.ts";
import type { LegLife } from "../../loop/leg/leg-life.ts";
import type { SessionLog } from "../../loop/leg/session-log.ts";
import { limitStop, remainingOf } from "../../stop/limits.ts";
import type { Host, LeaveReason } from "./host.ts";

/** The lifetime of a leg, with the methods that only the code which runs the leg calls. */
export interface OwnLegLife extends LegLife {
  /** Starts the timers of the run's limits. Returns a function that stops them. */
  begin(): () => void;
  /** Aborts in-flight work, because another process has taken over the session. */
  lose(): void;
  /** Aborts in-flight work, because this process leaves the run. Another process resumes it. */
  leave(reason: LeaveReason): void;
  /** Ends the leg: aborts the signal for work that still runs. */
  end(): void;
}

/** The last fraction of `handOverAfterMs`, in which no new turn starts. */
const NO_NEW_TURN = 0.2;

/** Makes the lifetime of a leg that has not started. `handOverAt` is in the clock's milliseconds. */
export function newLegLife(
  host: Host,
  agent: Agent,
  log: Pick<SessionLog, "state" | "storedSeq">,
  lease: Pick<LegLife, "mayLeave" | "renewLease">,
  handOverAt: number = Number.POSITIVE_INFINITY,
): OwnLegLife {
  const { clock, abortGraceMs } = host;
  const { state } = log;
  let control = new AbortController();
  let startedAt = clock.now();
  let deadlineMs = Number.POSITIVE_INFINITY;
  /**
   * The running time when the timer for the last turn fired; 0 before. With it, a clock that is set back does
   * not delay the last turn.
   */
  let reachedMs = 0;
  let leaveReason: LeaveReason | undefined = "hand_over";
  const abort = (error: PawlError) => {
    life.abandon();
    control.abort(error);
  };
  const leave = (reason: LeaveReason) => {
    if (!life.lost) leaveReason = reason;
    abort(new PawlError("draining", "Another process continues the run."));
  };
  const life: { -readonly [part in keyof OwnLegLife]: OwnLegLife[part] } = {
    clock,
    abortGraceMs,
    get signal() {
      return control.signal;
    },
    halted: undefined,
    haltedAt: undefined,
    lost: false,
    get draining() {
      return host.draining || isLastTurn(host, handOverAt);
    },
    get leaving() {
      if (leaveReason === undefined || !(life.lost || life.draining)) return undefined;
      return host.draining ? "draining" : leaveReason;
    },
    nextRun: undefined,
    ...lease,
    legMs: () => Math.max(reachedMs, clock.now() - startedAt),
    timeLeftMs: () => deadlineMs - clock.now(),
    halt: (stop) => {
      life.halted ??= stop;
      life.haltedAt ??= log.storedSeq;
      control.abort(new Error(stop.message));
    },
    beginLanding: () => {
      if (control.signal.aborted && life.halted === undefined && !life.lost) control = new AbortController();
    },
    abandon: () => {
      life.lost = true;
    },
    keepLeaseFor: (runId) => {
      life.nextRun = runId;
    },
    begin: () => {
      startedAt = clock.now();
      const left = remainingOf(state, agent, 0);
      const ms = left.amounts.wallClockMs;
      deadlineMs = startedAt + ms;
      const cancelEnd = clock.after(ms, () => life.halt(limitStop(left, "wallClockMs")));
      const landMs = timeToLand(agent, ms);
      const cancelLanding = clock.after(landMs, () => {
        reachedMs = landMs;
        // The last turn itself may use all the remaining time.
        if (state.run?.landing === undefined) control.abort(new Error("The time is nearly up."));
      });
      const cancelHandOver = clock.after(handOverAt - startedAt, () => leave("hand_over"));
      return () => [cancelHandOver, cancelEnd, cancelLanding].forEach((cancel) => void cancel());
    },
    lose: () => {
      leaveReason = undefined;
      abort(new PawlError("fenced", "Another process has taken over this session."));
    },
    leave,
    end: () => control.abort(new Error("The leg is over.")),
  };
  return life;
}

/** Returns whether the hand-over is so near that no new turn starts. */
function isLastTurn({ clock, handOverAfterMs }: Host, handOverAt: number): boolean {
  return Number.isFinite(handOverAt) && clock.now() >= handOverAt - handOverAfterMs * NO_NEW_TURN;
}

/**
 * Returns the time in milliseconds after which in-flight work is aborted, to leave time for one last turn
 * before the time limit. `Infinity` if the agent has no such turn.
 */
function timeToLand({ onLimit, limits, sessionLimits }: Agent, leftMs: number): number {
  if (onLimit !== "land") return Number.POSITIVE_INFINITY;
  const limitMs = Math.min(limits.wallClockMs, sessionLimits.wallClockMs);
  // Timers may fire early by a fraction of a millisecond.
  return Math.max(0, leftMs - landingTime(limitMs)) + 1;
}
