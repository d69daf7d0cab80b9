import type { Deadline } from "../../base/deadline.ts";
import type { ErrorReport } from "../../log/error-event.ts";
import type { NewEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import type { StopReason } from "../../log/stop-reason.ts";

/**
 * The lifetime of a leg: its running time, the reasons to stop, and whether another process continues the
 * run. Only its methods change it.
 */
export interface LegLife extends Deadline {
  /** How long to wait for in-flight work after it was aborted, in milliseconds. */
  readonly abortGraceMs: number;
  /** Aborts in-flight work: the run was stopped, the landing turn needs the time, or the lease was lost. */
  readonly signal: AbortSignal;
  /** Why the run must end at once; `undefined` if it may continue. */
  readonly halted: StopReason | undefined;
  /** `seq` of the last stored event when the run was halted; `undefined` if it was not. */
  readonly haltedAt: number | undefined;
  /**
   * Whether this leg takes no further step: another process has taken over the session, or this process
   * leaves the run to another one (`leaving`). Nothing may be started or written any more.
   */
  readonly lost: boolean;
  /** Whether the process is shutting down. If so, the leg stops at the next turn boundary. */
  readonly draining: boolean;
  /**
   * Why this process leaves the run to another one; `undefined` if it stays, or has lost the session.
   */
  readonly leaving: EventData["run_left"]["reason"] | undefined;
  /** The id of the next run, if the append that ended the run started one. The lease is kept for it. */
  readonly nextRun: string | undefined;
  /**
   * Returns whether the run may leave this process while it waits to ask the model again. Its place is then
   * free for another run, and an engine resumes it. Runs with credentials and runs of sub-agents stay.
   */
  mayLeave(): boolean;
  /** Extends the lease. Resolves to `false` if another process has taken over the session. */
  renewLease(): Promise<boolean>;
  /** Returns the leg's running time in milliseconds. */
  legMs(): number;
  /** Returns the remaining time of the run, in milliseconds. */
  timeLeftMs(): number;
  /** Aborts in-flight work and makes the run end, for this reason. The first reason counts. */
  halt(stop: StopReason): void;
  /**
   * Replaces an aborted signal by a fresh one for the landing turn. Does nothing if the run was halted or the
   * leg is lost.
   */
  beginLanding(): void;
  /** Leaves the run to another process, without aborting in-flight work. */
  abandon(): void;
  /** Keeps the lease for the next run. The append that ended the current run has started it. */
  keepLeaseFor(nextRun: string): void;
}

/** Reports errors of a leg: in the log and to the hooks. */
export interface LegReport {
  /** Logs an error after `events`, in one append, and notifies the hooks. */
  logError(error: ErrorReport, events?: readonly NewEvent[]): Promise<void>;
  /** Notifies the hooks of an error that is in the log. */
  notify(error: EventData["error"]): Promise<void>;
  /** Reports the error that ends the run to the runtime's `onError`, and sets `reported`. Never throws. */
  failed(error: unknown): void;
  /** Whether the error that ends the run was reported. */
  reported: boolean;
  /** The problem with the latest answer. It is reported if the run ends as an error. */
  problem: Error | undefined;
  /** Reports to the runtime's `onError` an error that the application has to fix. Never throws. */
  toFix(error: unknown): void;
  /** The mistakes in tools that this process has reported. Each is reported once. */
  readonly mistakes: Set<string>;
  /** Logs an error without the lease, e.g. that a result arrived too late to count. Never rejects. */
  logLate(error: ErrorReport): Promise<void>;
}
