import type { Agent } from "./agent.ts";
import type { Clock } from "./clock.ts";
import type { EventData, NewEvent, StoredEvent } from "./events/event.ts";
import type { ReadOptions } from "./events/event-store.ts";
import type { LiveState } from "./events/live-tail.ts";
import type { Session, SessionStatus } from "./events/session-row.ts";
import type { SessionLog } from "./session/log.ts";
import type { RunState } from "./session/state.ts";
import type { StopReason } from "./stop/stop-reason.ts";
import type { Delegated, Delegation } from "./sub-agents/delegate.ts";
import type { OpenTask } from "./sub-agents/open-tasks.ts";
import { withoutKeys } from "./without-keys.ts";

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

/** An error as the leg reports it. */
export type ErrorReport = Omit<EventData["error"], "stack">;

/**
 * An `error` event. Stacks and anything that looks like a key are never stored: logs travel further than they
 * should.
 */
export function errorEvent(error: ErrorReport): Extract<NewEvent, { type: "error" }> {
  return { type: "error", data: { ...error, message: withoutKeys(error.message), stack: null } };
}

/** What bounds the application's work: the leg's signal, and how long it may take to notice. */
export interface Patience {
  readonly signal: AbortSignal;
  readonly abortGraceMs: number;
  readonly clock: Clock;
}

/**
 * Waits for something of the application's that may never settle: once the leg is stopped it has the grace to do so, and
 * then the promise rejects with the reason of the stop.
 */
export async function withinLeg<T>(
  { signal, abortGraceMs, clock }: Patience,
  work: T | PromiseLike<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let cancel: (() => void) | undefined;
  const onAbort = () => {
    cancel = clock.after(abortGraceMs, () => reject(signal.reason));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  Promise.resolve(work).then(resolve, reject);
  try {
    return await promise;
  } finally {
    cancel?.();
    signal.removeEventListener("abort", onAbort);
  }
}
