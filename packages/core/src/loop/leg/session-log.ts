import type { NewEvent, StoredEvent } from "../../log/event.ts";
import type { SessionState } from "../../session/state.ts";

/**
 * A leg's log. A leg stores two kinds of events. Facts have happened, e.g. an answer of the model or a
 * result: they are stored wherever the log is by then. Decisions follow from the state, e.g. a request or the
 * end of the run: they are stored only if the state was right.
 *
 * Events may be held: they are in the state, and the next append stores them first. Nothing outside may learn
 * of them, and no code of the application may run, before the barrier.
 */
export interface SessionLog {
  readonly state: SessionState;
  /** `seq` of the last event in the state that is stored. Held events follow it. */
  readonly storedSeq: number;
  /** Whether an append has given the run to the engine, and so released the lease. */
  readonly isGivenAway: boolean;
  /** Stores facts, under the lease. Facts that wait at the same time are stored in one append. */
  add(events: readonly NewEvent[]): Promise<readonly StoredEvent[]>;
  /**
   * Holds facts. If the store fails when they would be stored, nobody knows whether they were, and every
   * later call rejects with that error.
   */
  hold(events: readonly NewEvent[], options?: HoldOptions): Promise<void>;
  /**
   * Notes that the caller decides now, by this state. The decision is void once the log has other events than
   * the state had, or the same ones under other numbers.
   */
  decide(): void;
  /** Whether the last decision is void. */
  readonly isVoid: boolean;
  /**
   * Stores what follows from the last decision, in one append with what is held. Rejects with `DECIDE_AGAIN`
   * if the decision is void, also because another process has stored something before what is held. That is
   * stored then, and these events are not.
   */
  follow(events: readonly NewEvent[]): Promise<readonly StoredEvent[]>;
  /** Holds what follows from the last decision. Does nothing if that is void. */
  holdNext(events: readonly NewEvent[]): Promise<void>;
  /**
   * The barrier: stores what is held. Returns `undefined` if nothing is, so that nobody has to wait. Rejects
   * with `DECIDE_AGAIN` if the last decision is void then.
   */
  barrier(): Promise<void> | undefined;
  /**
   * Stores events if the log has none after `options.seq`, and the last decision is not void. Otherwise
   * stores nothing, catches up, and resolves to `false`: the caller must decide again.
   */
  appendAtTip(events: readonly NewEvent[], options?: AtTip): Promise<boolean>;
  /** Applies the events that other processes have stored. */
  catchUp(): Promise<void>;
  /** Returns the held events that could not be stored, e.g. because another process has the session. */
  unstored(): readonly NewEvent[];
}

/** Options of `hold`. */
export interface HoldOptions {
  /**
   * Called when the events would be written. If it returns `false`, they are stored at once. Default: held.
   */
  mayWait?(): boolean;
  /**
   * Whether the events are void if another process stores something first. `outcome` then rejects with
   * `conflict`. Default: no.
   */
  atTip?: boolean;
  /** Settled once the events are stored, or were refused. Default: a refusal rejects the next append. */
  outcome?: HeldOutcome;
}

/** Options of `appendAtTip`. */
export interface AtTip extends Pick<WriteOptions, "release" | "giveAway"> {
  /**
   * `seq` of the last event on which the caller's decision is based. Default: the last event in the state.
   */
  seq?: number;
}

/** Settles once held events are stored, or were not stored. */
export interface HeldOutcome {
  resolve(rows: readonly StoredEvent[]): void;
  reject(error: unknown): void;
}

/** Conditions of an append. */
export interface WriteOptions {
  /** Stores none of the events if the last one in the log is another. Default: stores them in any case. */
  afterSeq?: number;
  /** Whether the same append also releases the lease. Default: no. */
  release?: boolean;
  /**
   * Called in the transaction of the append, which then releases the lease, too. If the store has no
   * transactions or this rejects, the events are stored without it, and the lease is kept. Default: none.
   */
  giveAway?: ((transaction: unknown) => Promise<void>) | undefined;
}
