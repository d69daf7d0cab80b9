import type { Agent } from "../agent/agent.ts";
import type { Deadline } from "../base/deadline.ts";
import type { Hook, RunContext } from "../hooks/hook.ts";
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
  readonly log: SessionLog;
  readonly life: LegLife;
  readonly report: LegReport;
  readonly hookProgress: HookProgress;
  /** What the runtime's `deps` returned; `undefined` until `makeDeps` has settled. */
  readonly deps: unknown;
  /** Calls the runtime's `deps`, once. */
  makeDeps(): Promise<unknown>;
  /** The live state: what readers in this process see before it is stored. */
  readonly live: LiveState;
  /** Notifies readers that `live` has changed. */
  touch(): void;
  newId(): string;
  /** Reads the session's status. The session may be over before its run has ended. */
  status(): Promise<SessionStatus | undefined>;
  /** Reads the session's events, without what was redacted. */
  read(options?: ReadOptions): AsyncIterable<StoredEvent>;
  readonly tasks: Tasks;
}

/** How long a leg has been running, whether it may go on, and who continues. Only its methods change that. */
export interface LegLife extends Deadline {
  readonly abortGraceMs: number;
  /** Aborts in-flight work: the run was stopped, the last turn needs the time, or the lease was lost. */
  readonly signal: AbortSignal;
  /** Why the run has to end at once. */
  readonly halted: StopReason | undefined;
  /** How far the log had come when it was halted. */
  readonly haltedAt: number | undefined;
  /** The session is another process's: start nothing more, write nothing more. */
  readonly lost: boolean;
  /** The process is shutting down: stop at the next turn boundary. */
  readonly draining: boolean;
  /** The run that was begun when this leg's ended; the lease is kept for it. */
  readonly nextRun: string | undefined;
  /** How long the leg has been running. */
  legMs(): number;
  /** How long until the run's time is up. */
  timeLeftMs(): number;
  /** Ends the run at once, for this reason. The first reason counts. */
  halt(stop: StopReason): void;
  /** After in-flight work was aborted for the last turn: lets that one begin, under a fresh signal. */
  beginLanding(): void;
  /** Leaves the run to another process; in-flight work is not aborted. */
  abandon(): void;
  /** Keeps the lease for the run that was begun as this one's ended. */
  handOver(nextRun: string): void;
}

/** How a leg reports what went wrong. */
export interface LegReport {
  /** Logs an error after `events`, in one append, and notifies the hooks. */
  logError(error: ErrorReport, events?: readonly NewEvent[]): Promise<void>;
  /** Notifies the hooks of an error that is in the log. */
  notify(error: EventData["error"]): Promise<void>;
  /** Logs something that came too late to count. Needs no lease. */
  logLate(error: ErrorReport): Promise<void>;
}

/** Which hooks were called in this leg, so that each is called once. Only `loop/hooks` writes to it. */
interface HookProgress {
  /** `beforeRun` has let the run begin. */
  begun: boolean;
  /** How many of the run's turns `afterTurn` knows of. */
  turns: number;
  /** Why `afterTurn` wants the run to end. */
  stop: StopReason | undefined;
  /** The questions that `onSuspend` knows of. */
  questions: string;
  /** The agent's hooks by method, in the order in which they are called. */
  readonly byMethod: Map<keyof Hook, readonly Hook[]>;
  /** The hooks' context, made once. */
  context: RunContext | undefined;
}

/** The port to sub-agents: the runtime implements it, above the loop. */
export interface Tasks {
  /** Has a sub-agent do the work of a call. */
  run(leg: Leg, delegated: Delegated): Promise<Delegation>;
  /** Returns the tasks that the run would abandon if it ended now. */
  open(leg: Leg, run: RunState): Promise<readonly OpenTask[]>;
}

/** A call whose work a sub-agent does. */
export interface Delegated {
  call: CallState;
  delegate: Delegate;
  input: unknown;
  slice: Partial<Budget>;
}

/**
 * The state in which the task has settled. `undefined`: this process abandons the run, and another one
 * resumes it.
 */
export type Delegation = SessionState | undefined;

/** A task of a call that no longer needs its result. */
export interface OpenTask {
  end(signal: AbortSignal): Promise<void>;
}
