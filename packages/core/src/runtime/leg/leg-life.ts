import type { Agent } from "../../agent/agent.ts";
import { PawlError } from "../../base/errors.ts";
import type { LegLife } from "../../leg/leg.ts";
import type { StopReason } from "../../log/stop-reason.ts";
import { landingTime } from "../../loop/decide.ts";
import type { SessionState } from "../../session/state.ts";
import { limitStop, remainingOf } from "../../stop/limits.ts";
import type { Host } from "./host.ts";

/** The parts of a leg's life that only the runner uses. */
export interface OwnLegLife extends LegLife {
  /** Starts the time. The returned function stops it. */
  begin(): () => void;
  /** Another process has the session: in-flight work is aborted. */
  lose(): void;
  /** The process is shutting down: in-flight work is aborted, and another process resumes the run. */
  leave(): void;
  /** Ends the leg: the signal is aborted for anything that still runs. */
  end(): void;
}

/** The last part of `handOverAfterMs`, in which no new turn starts. */
const NO_NEW_TURN = 0.2;

/** Makes the life of a leg that has not started. */
export function newLegLife(
  host: Host,
  agent: Agent,
  state: SessionState,
  handOverAt: number = Number.POSITIVE_INFINITY,
): OwnLegLife {
  const { clock, abortGraceMs } = host;
  let control = new AbortController();
  let startedAt = clock.now();
  let deadlineMs = Number.POSITIVE_INFINITY;
  /** What the timer has counted, so that a clock that was set back does not keep the run from landing. */
  let reachedMs = 0;
  let lost = false;
  let halted: StopReason | undefined;
  let haltedAt: number | undefined;
  let nextRun: string | undefined;
  const halt = (stop: StopReason) => {
    halted ??= stop;
    haltedAt ??= state.lastSeq;
    control.abort(new Error(stop.message));
  };
  const lose = (error: PawlError) => {
    lost = true;
    control.abort(error);
  };
  const leave = () => lose(new PawlError("draining", "Another process continues the run."));
  return {
    clock,
    abortGraceMs,
    get signal() {
      return control.signal;
    },
    get halted() {
      return halted;
    },
    get haltedAt() {
      return haltedAt;
    },
    get lost() {
      return lost;
    },
    get draining() {
      return host.draining || isLastTurn(host, handOverAt);
    },
    get nextRun() {
      return nextRun;
    },
    legMs: () => Math.max(reachedMs, clock.now() - startedAt),
    timeLeftMs: () => deadlineMs - clock.now(),
    halt,
    beginLanding: () => {
      if (control.signal.aborted && halted === undefined && !lost) control = new AbortController();
    },
    abandon: () => {
      lost = true;
    },
    handOver: (runId) => {
      nextRun = runId;
    },
    begin: () => {
      startedAt = clock.now();
      const left = remainingOf(state, agent, 0);
      const ms = left.amounts.wallClockMs;
      deadlineMs = startedAt + ms;
      const cancelEnd = clock.after(ms, () => halt(limitStop(left, "wallClockMs")));
      const landMs = timeToLand(agent, ms);
      const cancelLanding = clock.after(landMs, () => {
        reachedMs = landMs;
        // The last turn itself may use all the remaining time.
        if (state.run?.landing === undefined) control.abort(new Error("The time is nearly up."));
      });
      const cancelHandOver = clock.after(handOverAt - startedAt, leave);
      return () => {
        for (const cancel of [cancelHandOver, cancelEnd, cancelLanding]) cancel();
      };
    },
    lose: () => lose(new PawlError("fenced", "Another process has taken this session over.")),
    leave,
    end: () => control.abort(new Error("The leg is over.")),
  };
}

/** Whether the process is about to hand the session over. */
function isLastTurn({ clock, handOverAfterMs }: Host, handOverAt: number): boolean {
  return Number.isFinite(handOverAt) && clock.now() >= handOverAt - handOverAfterMs * NO_NEW_TURN;
}

/** Returns when to abort in-flight work for the last turn, in milliseconds from now. */
function timeToLand({ onLimit, limits, sessionLimits }: Agent, leftMs: number): number {
  if (onLimit !== "land") return Number.POSITIVE_INFINITY;
  const limitMs = Math.min(limits.wallClockMs, sessionLimits.wallClockMs);
  // The machine's timers may be early by a fraction of a millisecond.
  return Math.max(0, leftMs - landingTime(limitMs)) + 1;
}
