import type { Agent } from "../../agent/agent.ts";
import { PawlError } from "../../base/errors.ts";
import { once } from "../../base/once.ts";
import type { Leg } from "../../leg/leg.ts";
import type { SessionLog } from "../../leg/session-log.ts";
import { errorEvent } from "../../log/error-event.ts";
import { readShown } from "../../log/redacted.ts";
import type { Session } from "../../log/session-row.ts";
import type { StopReason } from "../../log/stop-reason.ts";
import { landingTime } from "../../loop/decide.ts";
import { tellHooks } from "../../loop/hooks/call-hooks.ts";
import { leftOf, limitStop } from "../../stop/limits.ts";
import type { Host } from "./host.ts";

/** What the runner does with a leg and the loop does not. */
export interface OwnLeg extends Leg {
  /** Lets the time run; the result stops it. */
  begin(): () => void;
  /** Tells whoever runs this process of a fault in the program: in the log it is found only by those who look. */
  report(error: unknown): void;
  /** Somebody else has the session. */
  lose(): void;
  /** The session is given back as it is. */
  leave(): void;
  /** Nothing of the run is done here any more: its signal fires for whatever is still going on beside it. */
  over(): void;
}

/** A leg of this process. It has not begun. */
export function makeLeg(host: Host, session: Session, agent: Agent, log: SessionLog): OwnLeg {
  const { clock } = host;
  let control = new AbortController();
  let startedAt = clock.now();
  let deadlineMs = Number.POSITIVE_INFINITY;
  /** What the timer has counted: a clock that was set back does not keep the run from landing. */
  let reachedMs = 0;
  let halted: StopReason | undefined;
  const abandon = (error: PawlError) => {
    leg.lost = true;
    control.abort(error);
  };
  const leg: OwnLeg = {
    makeDeps: once(async () => await host.deps(session)),
    agent,
    session,
    deps: undefined,
    log,
    live: { attempt: 0, parts: [], progress: new Map(), agents: new Map() },
    get signal() {
      return control.signal;
    },
    get halted() {
      return halted;
    },
    stoppedAt: undefined,
    next: undefined,
    lost: false,
    get draining() {
      return host.draining;
    },
    abortGraceMs: host.abortGraceMs,
    clock,
    told: { run: false, turns: 0, stop: undefined, questions: "" },
    legMs: () => Math.max(reachedMs, clock.now() - startedAt),
    timeLeftMs: () => deadlineMs - clock.now(),
    newId: host.newId,
    halt: (stop) => {
      halted ??= stop;
      leg.stoppedAt ??= log.state.lastSeq;
      control.abort(new Error(stop.message));
    },
    beginLanding: () => {
      if (control.signal.aborted && halted === undefined && !leg.lost) control = new AbortController();
    },
    begin: () => {
      startedAt = clock.now();
      const left = leftOf(log.state, agent, 0);
      const ms = left.left.wallClockMs;
      deadlineMs = startedAt + ms;
      const end = clock.after(ms, () => leg.halt(limitStop(left, "wallClockMs")));
      const landMs = timeToLand(agent, ms);
      const land = clock.after(landMs, () => {
        reachedMs = landMs;
        // The last turn itself has all of the time that is left.
        if (log.state.run?.landing === undefined) control.abort(new Error("The time is nearly up."));
      });
      return () => {
        end();
        land();
      };
    },
    lose: () => abandon(new PawlError("fenced", "Another process has taken this session over.")),
    report: host.report,
    leave: () => abandon(new PawlError("draining", "The process is going down.")),
    over: () => control.abort(new Error("The leg is over.")),
    ...readers(host, session),
    ...tasks(host, () => leg),
    ...reporting(host, session, agent, log, () => leg),
  };
  return leg;
}

/** When what is under way is to stop for the last turn, in milliseconds from now. */
function timeToLand({ onLimit, limits, sessionLimits }: Agent, leftMs: number): number {
  if (onLimit !== "land") return Number.POSITIVE_INFINITY;
  const limitMs = Math.min(limits.wallClockMs, sessionLimits.wallClockMs);
  // The machine's timers may be early by a fraction of a millisecond.
  return Math.max(0, leftMs - landingTime(limitMs)) + 1;
}

/** What the leg reads of its session, and that there is something to read. */
function readers({ store, tail }: Host, { id }: Session): Pick<Leg, "status" | "read" | "touch"> {
  return {
    status: async () => (await store.sessions.get(id))?.status,
    read: (options) => readShown(store, id, options),
    touch: () => tail.touch(id),
  };
}

/** What other agents do for a leg. */
function tasks(host: Host, leg: () => Leg): Pick<Leg, "delegate" | "openTasks"> {
  return {
    delegate: (delegated) => host.delegate(leg(), delegated),
    openTasks: (run) => host.openTasks(leg(), run),
  };
}

/** How a leg tells of what went wrong. */
function reporting(
  host: Host,
  session: Session,
  agent: Agent,
  log: SessionLog,
  leg: () => Leg,
): Pick<Leg, "fail" | "tell" | "reportLate"> {
  const tell: Leg["tell"] = async (error) => {
    const runId = log.state.run?.runId ?? "";
    const context = { sessionId: session.id, userId: session.userId, runId, agent: agent.name };
    const failures = await tellHooks(leg(), agent.hooks, error, context);
    if (failures.length > 0) await log.append(failures);
  };
  return {
    tell,
    fail: async (report, events = []) => {
      const error = errorEvent(report);
      await log.append([...events, error]);
      await tell(error.data);
    },
    reportLate: async (report) => {
      const options = { appendId: host.newId() };
      await host.store.append(session.id, [errorEvent(report)], options).catch(() => undefined);
    },
  };
}
