import type { NewEvent } from "../../log/event.ts";
import type { NextRun } from "../../log/event-parts.ts";
import type { StopReason } from "../../log/stop-reason.ts";
import type { Asking } from "../../session/asking.ts";
import type { RunState } from "../../session/state.ts";
import type { OpenTask } from "./task-types.ts";

/** What the effects of a run need at its end. */
export interface RunEnd {
  tasks: readonly OpenTask[];
  /**
   * Appends the first `effect_started`, with what ends the run's calls. Resolves to `false` if something else
   * was stored first.
   */
  begin(started: NewEvent): Promise<boolean>;
}

/** The next run. Its start is stored in the append that ends the current run. */
export interface Successor {
  next: NextRun;
  events: NewEvent[];
  /** Keeps the lease for the next run, and notifies the hooks. Call it once the run's start is stored. */
  begun(): Promise<void>;
}

/** The work at the end of a run, and where it waits. */
export interface EndParts<Leg> {
  /**
   * Suspends the run, or ends it if the session is over. `seq` is the last event on which this is based.
   * Returns `false` if something was stored after it; the caller must then decide again.
   */
  suspendRun(leg: Leg, waiting: readonly Asking[], seq: number): Promise<boolean>;
  /** Closes the open questions because a new message has arrived. */
  closeOvertakenQuestions(leg: Leg, run: RunState): Promise<void>;
  /**
   * Prepares the next run: for queued messages, or of the agent `target`, to which the run has handed over.
   * The returned function makes it from the state at the time of its call. It returns `undefined` if no run
   * is needed, and `decide_again` if another message came.
   */
  prepareNextRun(
    leg: Leg,
    reason: StopReason,
    target?: string,
  ): Promise<() => Successor | "decide_again" | undefined>;
  /** Prepares the run's last turn: stores the note that the model reads before it. */
  land(leg: Leg, stop: StopReason): Promise<void>;
  /** Ends open tasks and runs `afterRun` hooks. Resolves to `false` if something else was stored first. */
  runEffects(leg: Leg, run: RunState, stop: StopReason, end: RunEnd): Promise<boolean>;
}
