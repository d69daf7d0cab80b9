import type { Deadline } from "../../base/deadline.ts";
import type { ErrorReport } from "../../log/error-event.ts";
import type { NewEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import type { StopReason } from "../../log/stop-reason.ts";

/**
 * The lifetime of a leg: its running time, the reasons to stop, and who continues the run. Only the methods
 * change it.
 */
export interface LegLife extends Deadline {
  readonly abortGraceMs: number;
  /** Aborts in-flight work: the run was stopped, the last turn needs the time, or the lease was lost. */
  readonly signal: AbortSignal;
  /** Why the run must end at once; `undefined` if it may continue. */
  readonly halted: StopReason | undefined;
  /** `seq` of the last stored event when the run was halted. */
  readonly haltedAt: number | undefined;
  /**
   * Whether this leg takes no further step: another process has taken over the session, or this process
   * leaves it to one (`leaving`). Nothing may be started or written any more.
   */
  readonly lost: boolean;
  /** Whether the process is shutting down. If so, the leg stops at the next turn boundary. */
  readonly draining: boolean;
  /**
   * Why this process leaves the run to another one; `undefined` if it does not, or has lost the session.
   */
  readonly leaving: EventData["run_left"]["reason"] | undefined;
  /** The id of the run that was started in the append that ended this leg's run. The lease is kept for it. */
  readonly nextRun: string | undefined;
  /**
   * Returns whether the run may leave this process while it waits for a retry of the model, so that its place
   * is free: an engine resumes it. A run with credentials and a sub-agent stay.
   */
  mayLeave(): boolean;
  /** Extends the lease. Resolves to whether it is still current. */
  renewLease(): Promise<boolean>;
  /** Returns the leg's running time in milliseconds. */
  legMs(): number;
  /** Returns the remaining time of the run, in milliseconds. */
  timeLeftMs(): number;
  /** Makes the run end at once, for this reason. Further calls change nothing. */
  halt(stop: StopReason): void;
  /**
   * Replaces the aborted signal by a fresh one for the last turn. Call it once in-flight work was aborted.
   */
  beginLanding(): void;
  /** Leaves the run to another process, without aborting in-flight work. */
  abandon(): void;
  /** Keeps the lease for the next run, which was started in the append that ended this one. */
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
  /** The problem with the last answer. It is reported if the run ends as an error. */
  problem: Error | undefined;
  /** Reports an error that the application has to fix to the runtime's `onError`. Never throws. */
  toFix(error: unknown): void;
  /** Logs a result that arrived too late to count. Works without the lease. */
  logLate(error: ErrorReport): Promise<void>;
}
