import type { Agent } from "../agent/agent.ts";
import type { Clock } from "../base/clock.ts";
import type { Budget } from "../log/budget.ts";
import type { ErrorReport } from "../log/error-event.ts";
import type { EventData, NewEvent, StoredEvent } from "../log/event.ts";
import type { ReadOptions } from "../log/event-store.ts";
import type { LiveState } from "../log/live-tail.ts";
import type { Session, SessionStatus } from "../log/session-row.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { CallState, RunState, SessionState } from "../session/state.ts";
import type { Delegate } from "../tools/tool.ts";
import type { SessionLog } from "./session-log.ts";

/** One process's share of a run: everything that the loop and its stations work with. */
export interface Leg {
  readonly agent: Agent;
  readonly session: Session;
  /** What the runtime's `deps` made; set before the loop begins. */
  deps: unknown;
  /** Makes them, once. */
  makeDeps(): Promise<unknown>;
  readonly log: SessionLog;
  /** What readers in this process are shown before it is stored. */
  live: LiveState;
  /** Fires when what is under way is to stop: the run, or all but its last turn, or the lease is lost. */
  readonly signal: AbortSignal;
  /** Why the run has to end at once. */
  readonly halted: StopReason | undefined;
  /** How far the log had come when it was stopped. */
  stoppedAt: number | undefined;
  /** The run that was begun when this leg's ended; the lease is kept for it. */
  next: string | undefined;
  /** The lease is gone: start nothing more, write nothing more. */
  lost: boolean;
  /** The process is going down: stop at the next turn boundary. */
  readonly draining: boolean;
  readonly abortGraceMs: number;
  readonly clock: Clock;
  /**
   * What the hooks have been told in this leg: that the run begins, which turn is over and what they said to that, and which
   * questions the run is to wait for.
   */
  readonly told: { run: boolean; turns: number; stop: StopReason | undefined; questions: string };
  /** How long the leg has been at work. */
  legMs(): number;
  /** How long until the run's time is up. */
  timeLeftMs(): number;
  newId(): string;
  /** What the session's row says now; it may be over before its run is. */
  status(): Promise<SessionStatus | undefined>;
  /** The session's events as they may be shown. */
  read(options?: ReadOptions): AsyncIterable<StoredEvent>;
  /** Lets an agent do the work of a call. */
  delegate(delegated: Delegated): Promise<Delegation>;
  /** The tasks that the run would leave behind if it ended now. */
  openTasks(run: RunState): Promise<readonly OpenTask[]>;
  /** Ends the run at once, for this reason. */
  halt(stop: StopReason): void;
  /** After what was under way has stopped for a last turn: lets that one begin. */
  beginLanding(): void;
  /** Tells readers that `live` has changed. */
  touch(): void;
  /** Logs an error after `events`, in one append, and tells the hooks. */
  fail(error: ErrorReport, events?: readonly NewEvent[]): Promise<void>;
  /** Tells the hooks of an error that is in the log. */
  tell(error: EventData["error"]): Promise<void>;
  /** Logs something that came too late to count. Needs no lease. */
  reportLate(error: ErrorReport): Promise<void>;
}

/** A call whose work another agent does. */
export interface Delegated {
  call: CallState;
  delegate: Delegate;
  input: unknown;
  slice: Partial<Budget>;
}

/** The state in which the task has come to rest; `undefined`: the process lets go of it, and another one goes on. */
export type Delegation = SessionState | undefined;

/** A task that waits, or goes on, although nobody reads any more what comes of it. */
export interface OpenTask {
  end(signal: AbortSignal): Promise<void>;
}
